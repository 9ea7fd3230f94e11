package org.reprobe.trial;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFile.ClassHierarchyResolverOption;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.Label;
import java.lang.classfile.MethodModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.LineNumber;
import java.lang.classfile.instruction.LookupSwitchInstruction;
import java.lang.classfile.instruction.SwitchCase;
import java.lang.classfile.instruction.TableSwitchInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * Branch coverage of a protocol's code, such as a compare-and-swap that succeeds or fails. Marks are inserted when
 * class files are loaded for an exploration. So no branch is missed, the source is unchanged, and measured runs have no
 * cost. A decision is identified by its source line. Decisions between rules of the protocol, and checks of a
 * constructor's arguments, are excluded.
 */
final class Branches {
    private static final ClassDesc TAKEN = ClassDesc.of(Taken.class.getName());
    private static final MethodTypeDesc MARK = MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_int);

    private final List<Branch> branches = new ArrayList<>();
    private final Map<String, List<String>> sources = new HashMap<>();
    private final Set<String> types;
    private final ProtocolLoader loader;
    private final boolean[] taken;

    /** Outcome {@code way} (yes, no or a case) of the {@code test}-th decision, from 0, on a line of a method. */
    record Branch(String type, String method, int line, int test, String way, String source) {
        /** Returns the text of the decision, which does not change when lines move. */
        String decision() {
            return type + "." + method + ": " + source + (test == 0 ? "" : " [" + (test + 1) + "]");
        }
    }

    Branches(DerivedSystem system) {
        this.types = new LinkedHashSet<>(system.typeNames());
        this.loader = new ProtocolLoader(this::marked, List.of(system), Taken.class);
        try {
            for (String type : types) {
                loader.loadClass(type);
            }
            taken = (boolean[])
                    loader.loadClass(Taken.class.getName()).getField("BRANCHES").get(null);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("the marked classes can't be loaded", e);
        }
    }

    ProtocolLoader loader() {
        return loader;
    }

    List<Branch> all() {
        return List.copyOf(branches);
    }

    List<Branch> taken() {
        List<Branch> found = new ArrayList<>();
        for (int i = 0; i < branches.size(); i++) {
            if (taken[i]) {
                found.add(branches.get(i));
            }
        }
        return found;
    }

    private byte[] marked(byte[] classFile) {
        ClassFile files = ClassFile.of(ClassHierarchyResolverOption.of(
                ClassHierarchyResolver.ofResourceParsing(Branches.class.getClassLoader())));
        ClassModel type = files.parse(classFile);
        String name = type.thisClass().asInternalName().replace('/', '.');
        if (!types.contains(name)) {
            return classFile;
        }
        return files.transformClass(type, (classBuilder, element) -> {
            if (element instanceof MethodModel method && method.code().isPresent() && decides(method)) {
                classBuilder.transformMethod(
                        method,
                        java.lang.classfile.MethodTransform.transformingCode(
                                new Marks(name, method.methodName().stringValue())));
            } else {
                ClassTransform.ACCEPT_ALL.accept(classBuilder, element);
            }
        });
    }

    private static boolean decides(MethodModel method) {
        return !method.methodName().stringValue().startsWith("<")
                && method.findAttributes(java.lang.classfile.Attributes.code()).size() == 1;
    }

    private final class Marks implements CodeTransform {
        private final String type;
        private final String method;
        private final Map<Integer, Integer> testsOfLine = new HashMap<>();
        private final Map<String, Integer> testsOfText = new HashMap<>();
        private int line;

        Marks(String type, String method) {
            this.type = type;
            this.method = method.replaceAll("lambda\\$|\\$\\d+$", "");
        }

        @Override
        public void accept(CodeBuilder code, CodeElement element) {
            switch (element) {
                case LineNumber number -> {
                    line = number.line();
                    code.with(number);
                }
                case BranchInstruction branch
                when branch.opcode() != Opcode.GOTO && branch.opcode() != Opcode.GOTO_W -> decision(code, branch);
                case LookupSwitchInstruction lookup -> {
                    List<Trampoline> ways = new ArrayList<>();
                    UnaryOperator<Label> via = ways(code, ways, lookup.defaultTarget(), lookup.cases());
                    code.lookupswitch(via.apply(lookup.defaultTarget()), through(lookup.cases(), via));
                    ways.forEach(way -> way.emit(code));
                }
                case TableSwitchInstruction table -> {
                    List<Trampoline> ways = new ArrayList<>();
                    UnaryOperator<Label> via = ways(code, ways, table.defaultTarget(), table.cases());
                    code.tableswitch(
                            table.lowValue(),
                            table.highValue(),
                            via.apply(table.defaultTarget()),
                            through(table.cases(), via));
                    ways.forEach(way -> way.emit(code));
                }
                default -> code.with(element);
            }
        }

        private void decision(CodeBuilder code, BranchInstruction branch) {
            int test = testsOfLine.merge(line, 1, Integer::sum) - 1;
            String source = source(type, line);
            int nth = testsOfText.merge(source, 1, Integer::sum) - 1; // a method may have the same test twice
            if (isOfRules(source)) {
                code.with(branch);
                return;
            }
            Label jumps = code.newLabel();
            Label goesOn = code.newLabel();
            // The compiled jump skips the guarded code, except in the first parts of a disjunction, from which it leads
            // to that code.
            boolean jumpIsYes = test < source.split("\\|\\|", -1).length - 1;
            code.branch(branch.opcode(), jumps);
            mark(code, nth, jumpIsYes ? "no" : "yes", source);
            code.goto_(goesOn);
            code.labelBinding(jumps);
            mark(code, nth, jumpIsYes ? "yes" : "no", source);
            code.goto_(branch.target());
            code.labelBinding(goesOn);
        }

        private record Trampoline(Label at, Label to, int mark) {
            void emit(CodeBuilder code) {
                code.labelBinding(at);
                if (mark >= 0) {
                    code.loadConstant(mark).invokestatic(TAKEN, "mark", MARK);
                }
                code.goto_(to);
            }
        }

        private UnaryOperator<Label> ways(
                CodeBuilder code, List<Trampoline> ways, Label otherwise, List<SwitchCase> cases) {
            String source = source(type, line);
            boolean counts = !isOfRules(source);
            Map<Label, Label> via = new HashMap<>();
            for (SwitchCase each : cases) {
                if (!each.target().equals(otherwise)) {
                    way(code, ways, via, each.target(), counts ? "case " + each.caseValue() : "", source);
                }
            }
            // A switch over all constants of an enum has a default that no constant takes.
            way(code, ways, via, otherwise, "", source);
            return via::get;
        }

        private void way(
                CodeBuilder code,
                List<Trampoline> ways,
                Map<Label, Label> via,
                Label target,
                String name,
                String source) {
            via.computeIfAbsent(target, _ -> {
                Label at = code.newLabel();
                ways.add(new Trampoline(at, target, name.isEmpty() ? -1 : number(0, name, source)));
                return at;
            });
        }

        private static List<SwitchCase> through(List<SwitchCase> cases, UnaryOperator<Label> via) {
            return cases.stream()
                    .map(each -> SwitchCase.of(each.caseValue(), via.apply(each.target())))
                    .toList();
        }

        private void mark(CodeBuilder code, int test, String way, String source) {
            code.loadConstant(number(test, way, source)).invokestatic(TAKEN, "mark", MARK);
        }

        private int number(int test, String way, String source) {
            branches.add(new Branch(type.substring(type.lastIndexOf('.') + 1), method, line, test, way, source));
            return branches.size() - 1;
        }
    }

    private static boolean isOfRules(String source) {
        return source.contains("rules");
    }

    private String source(String type, int line) {
        List<String> lines = sources.computeIfAbsent(type.replaceAll("\\$.*", ""), Branches::read);
        return line >= 1 && line <= lines.size()
                ? lines.get(line - 1).replaceAll("//.*", "").strip()
                : "line " + line;
    }

    /** Returns the source lines of a class; sources are resources beside the classes. */
    private static List<String> read(String type) {
        String path = type.replace('.', '/') + ".java";
        try (InputStream in = Branches.class.getClassLoader().getResourceAsStream(path)) {
            return in == null
                    ? List.of()
                    : new String(in.readAllBytes(), StandardCharsets.UTF_8)
                            .lines()
                            .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
