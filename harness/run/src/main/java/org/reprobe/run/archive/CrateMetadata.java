package org.reprobe.run.archive;

import java.nio.file.Path;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.reprobe.analysis.claims.Paper;
import org.reprobe.run.StoredRuns;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Description of an archive by <a href="https://w3id.org/ro/crate/1.2">RO-Crate 1.2</a>: the result and its files, the
 * run that made them, the program, the papers, the authors and the licence if they were given.
 */
final class CrateMetadata {
    static final String NAME = "ro-crate-metadata.json";

    private static final String SPECIFICATION = "https://w3id.org/ro/crate/1.2";
    private static final JsonMapper JSON =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    private final List<Map<String, Object>> graph = new ArrayList<>();

    private CrateMetadata() {}

    /** File of the archive, with the fields of its description. */
    record Part(String name, String description, String format, long size) {}

    static String text(ResultArchive.Request request, String title, String description, List<Part> parts) {
        CrateMetadata crate = new CrateMetadata();
        crate.describe(request, title, description, parts);
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("@context", SPECIFICATION + "/context");
        document.put("@graph", crate.graph);
        return JSON.writeValueAsString(document) + "\n";
    }

    private void describe(ResultArchive.Request request, String title, String description, List<Part> parts) {
        StoredRuns runs = request.runs();
        Map<String, String> environment = runs.environment();
        Map<String, Object> descriptor = entity(NAME, "CreativeWork");
        descriptor.put("about", id("./"));
        descriptor.put("conformsTo", id(SPECIFICATION));
        Map<String, Object> root = entity("./", "Dataset");
        root.put("name", title);
        root.put("description", description);
        root.put("datePublished", ResultArchive.started(runs).format(DateTimeFormatter.ISO_LOCAL_DATE));
        String license = request.license();
        if (license.isEmpty()) {
            root.put("license", "No licence is stated. The authors choose one before publication.");
        } else {
            Map<String, Object> terms = entity("https://spdx.org/licenses/" + license, "CreativeWork");
            terms.put("name", license);
            terms.put("description", "Licence of this result, by its SPDX identifier.");
            root.put("license", id(terms));
        }
        List<Object> authors = new ArrayList<>();
        for (ResultArchive.Author author : request.authors()) {
            Map<String, Object> person =
                    entity(author.orcid().isEmpty() ? "#author-" + (authors.size() + 1) : author.orcid(), "Person");
            person.put("name", author.name());
            authors.add(id(person));
        }
        put(root, "author", authors);
        put(root, "citation", request.papers().stream().map(this::paper).toList());
        List<Object> properties = new ArrayList<>();
        for (String fact : List.of("kind", "fabric", "nic", "scale", "seed")) {
            String value = environment.getOrDefault(fact, "");
            if (!value.isEmpty()) {
                Map<String, Object> property = entity("#" + fact, "PropertyValue");
                property.put("name", fact.equals("kind") ? "kind of numbers" : fact);
                property.put("value", value);
                properties.add(id(property));
            }
        }
        put(root, "variableMeasured", properties);
        List<Object> files = new ArrayList<>();
        for (Part part : parts) {
            Map<String, Object> file = entity(address(part.name()), "File");
            file.put("name", part.name());
            file.put("description", part.description());
            file.put("encodingFormat", part.format());
            file.put("contentSize", Long.toString(part.size()));
            files.add(id(file));
        }
        root.put("hasPart", files);
        Map<String, Object> program = entity("#reprobe", "SoftwareApplication");
        program.put("name", "Reprobe");
        program.put("softwareVersion", environment.getOrDefault("reprobe", "unknown"));
        program.put("identifier", "commit " + environment.getOrDefault("commit", "unknown"));
        if (environment.getOrDefault("uncommitted-changes", "no").equals("yes")) {
            program.put("description", "Built with uncommitted changes.");
        }
        Map<String, Object> run = entity("#run", "CreateAction");
        run.put("name", runs.status().command());
        run.put("instrument", id(program));
        run.put("startTime", ResultArchive.started(runs).format(DateTimeFormatter.ISO_OFFSET_DATE_TIME));
        run.put("object", files.stream().filter(CrateMetadata::isScenario).toList());
        run.put("result", id("./"));
        root.put("mentions", id(run));
    }

    private Map<String, Object> paper(Paper paper) {
        Map<String, Object> article =
                entity(paper.link() == null ? "#paper-" + paper.name() : paper.link(), "ScholarlyArticle");
        article.put("name", String.valueOf(paper.title()));
        article.put("creditText", paper.citation());
        return id(article);
    }

    private static boolean isScenario(Object file) {
        return file.toString().endsWith("scenario.yaml}");
    }

    private Map<String, Object> entity(String id, String type) {
        Map<String, Object> entity = new LinkedHashMap<>();
        entity.put("@id", id);
        entity.put("@type", type);
        graph.add(entity);
        return entity;
    }

    private static Map<String, Object> id(Map<String, Object> entity) {
        return id(String.valueOf(entity.get("@id")));
    }

    private static Map<String, Object> id(String id) {
        return Map.of("@id", id);
    }

    private static void put(Map<String, Object> entity, String property, List<?> values) {
        if (!values.isEmpty()) {
            entity.put(property, values);
        }
    }

    /** Returns a file's name as a relative address. */
    private static String address(String name) {
        return Path.of("/" + name).toUri().getRawPath().substring(1);
    }
}
