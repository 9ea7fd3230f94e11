package org.reprobe.plots;

import de.rototor.pdfbox.graphics2d.PdfBoxGraphics2D;
import de.rototor.pdfbox.graphics2d.PdfBoxGraphics2DFontTextDrawer;
import java.awt.Font;
import java.awt.Shape;
import java.awt.font.FontRenderContext;
import java.io.IOException;
import java.io.InputStream;
import org.apache.pdfbox.pdmodel.PDDocument;
import org.apache.pdfbox.pdmodel.font.PDFont;
import org.apache.pdfbox.pdmodel.font.PDType0Font;

/** Graphics of a PDF page with embedded subsets of fonts. Transparent shapes are omitted. */
final class PdfGraphics extends PdfBoxGraphics2D implements TextGraphics {
    private final TickLabels labels;

    /** @throws IOException if a bundled font is missing from this build */
    PdfGraphics(PDDocument document, Drawing drawing) throws IOException {
        super(document, (float) drawing.width(), (float) drawing.height());
        this.labels = new TickLabels(drawing);
        PDFont plain = font(document, Fonts.plainFile());
        PDFont bold = font(document, Fonts.boldFile());
        setFontTextDrawer(new PdfBoxGraphics2DFontTextDrawer() {
            @Override
            protected PDFont mapFont(Font font, IFontTextDrawerEnv env) {
                return font.isBold() ? bold : plain;
            }
        });
    }

    private static PDFont font(PDDocument document, InputStream file) throws IOException {
        try (file) {
            return PDType0Font.load(document, file, true);
        }
    }

    @Override
    public FontRenderContext getFontRenderContext() {
        return Lettering.UNHINTED;
    }

    @Override
    public void fill(Shape shape) {
        if (getColor().getAlpha() != 0 && !labels.write(shape, this)) {
            super.fill(shape);
        }
    }
}
