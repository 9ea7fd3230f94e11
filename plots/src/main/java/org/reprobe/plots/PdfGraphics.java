package org.reprobe.plots;

import de.rototor.pdfbox.graphics2d.PdfBoxGraphics2D;
import de.rototor.pdfbox.graphics2d.PdfBoxGraphics2DFontTextDrawer;
import java.awt.Font;
import java.awt.Shape;
import java.io.IOException;
import java.io.InputStream;
import org.apache.pdfbox.pdmodel.PDDocument;
import org.apache.pdfbox.pdmodel.font.PDFont;
import org.apache.pdfbox.pdmodel.font.PDType0Font;

/** Graphics of a PDF page with embedded subsets of fonts. Transparent shapes are omitted. */
final class PdfGraphics extends PdfBoxGraphics2D {
    /** @throws IOException if a bundled font is missing from this build */
    PdfGraphics(PDDocument document, Drawing drawing) throws IOException {
        super(document, (float) drawing.width(), (float) drawing.height());
        PDFont plain = font(document, drawing.fonts().file(false));
        PDFont bold = font(document, drawing.fonts().file(true));
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
    public void fill(Shape shape) {
        if (getColor().getAlpha() != 0) {
            super.fill(shape);
        }
    }
}
