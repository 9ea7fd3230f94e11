package org.reprobe.trial;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFile.ClassHierarchyResolverOption;
import java.lang.classfile.ClassFile.DebugElementsOption;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.FieldModel;
import java.lang.classfile.Label;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodTransform;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.IncrementInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.LabelTarget;
import java.lang.classfile.instruction.LineNumber;
import java.lang.classfile.instruction.OperatorInstruction;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.reflect.AccessFlag;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Small faults, one at a time, in the class files of a package: a condition that always or never holds, a bound that is
 * off by one, an omitted call, another result, another constant of an enum, another operator. They are the usual ones
 * of mutation testing, made here since a fault then costs a class loader and not a process, and a test can name the one
 * that it needs.
 */
final class Mutants {
    private static final int NOT = -1;

    private static final ClassDesc TAKEN = ClassDesc.of(Taken.class.getName());
    private static final ClassDesc FUEL = ClassDesc.of(LoopBudget.class.getName());
    private static final MethodTypeDesc NOTHING = MethodTypeDesc.of(ConstantDescs.CD_void);
    // Tables of local variables become invalid with unreachable code, and no fault needs them.
    private static final ClassFile FILES = ClassFile.of(
            DebugElementsOption.DROP_DEBUG,
            ClassHierarchyResolverOption.of(ClassHierarchyResolver.ofResourceParsing(Mutants.class.getClassLoader())));

    /** Counting, timing, display, and hashes: not part of a protocol's guarantees. */
    private static final Pattern NO_PROTOCOL = Pattern.compile(
            "steps\\b|steps\\.|\\bcount\\(|counts|spendCpu\\(|accesses\\("
                    + "|retries\\+\\+|roundTrips|requests\\+\\+|payloadBytes|serverCalls\\+\\+|probes\\+\\+|queriesSynchronised"
                    + "|chunksOfLast|moves\\+\\+|completed\\+\\+|takenBack\\+\\+|refusals|IllegalArgumentException|pause\\(|narrat"
                    + "|cleanedWords|freedWords|aborts\\.merge|commits\\+\\+|Counter\\.|[nN]s \\+=|pollPs|turnPs|updatePs|stepPs");

    private static final Set<String> OTHER_METHODS = Set.of(
            "toString",
            "hashCode",
            "equals",
            "mix",
            "hash",
            "step",
            "values",
            "valueOf",
            "close",
            "moves",
            "inUse",
            "counts",
            "retries",
            "aborts",
            "commits",
            "migrations",
            "serverCalls",
            "refusals",
            "probes",
            "requests",
            "notice",
            "narrateOperation",
            "narrateWord",
            "standstill",
            "endless",
            "name",
            "text",
            "most",
            "bytes",
            "<clinit>");

    private Mutants() {}

    /**
     * A fault.
     *
     * @param type full name of the class
     * @param number of the fault in its class
     * @param source the line
     */
    record Mutant(String type, String method, int line, int number, String what, String source) {
        /** Words that stay the same after other lines have moved. */
        String text() {
            return type.substring(type.lastIndexOf('.') + 1) + "." + method + ": " + what + ": " + source;
        }

        /** Returns a protocol's class file with this fault in it. */
        byte[] in(byte[] classFile) {
            ClassModel model = FILES.parse(classFile);
            String name = model.thisClass().asInternalName().replace('/', '.');
            return name.equals(LoopBudget.class.getName()) || name.startsWith("org.reprobe.trial.")
                    ? classFile
                    : new Mutation(name, name.equals(type) ? number : -1).of(model);
        }
    }

    /** Returns all faults of a class and its nested classes, except records, which only carry results. */
    static List<Mutant> of(String type) {
        List<Mutant> all = new ArrayList<>();
        for (String each : types(type)) {
            Mutation mutation = new Mutation(each, -1);
            mutation.of(FILES.parse(ProtocolLoader.classFile(each)));
            all.addAll(mutation.found);
        }
        return all;
    }

    /** Returns the outermost class, which names the source. */
    static String outermost(String type) {
        return type.replaceAll("\\$.*", "");
    }

    /** Returns the classes that {@link #of} examines for a class. */
    static List<String> types(String type) {
        List<String> all = new ArrayList<>(List.of(type));
        FILES.parse(ProtocolLoader.classFile(type)).findAttribute(Attributes.nestMembers()).stream()
                .flatMap(members -> members.nestMembers().stream())
                .map(member -> member.asInternalName().replace('/', '.'))
                .filter(member -> FILES.parse(ProtocolLoader.classFile(member))
                        .findAttribute(Attributes.record())
                        .isEmpty())
                .forEach(all::add);
        return all;
    }

    /**
     * Class files without a fault that note in {@link Taken} where one would make a difference: a condition that always
     * holds where it has not held just now, and any other fault where it would have been met.
     *
     * @param first by type, the number of its first fault
     */
    static byte[] noting(Map<String, Integer> first, byte[] classFile) {
        ClassModel model = FILES.parse(classFile);
        String name = model.thisClass().asInternalName().replace('/', '.');
        Integer from = first.get(name);
        return from == null ? classFile : new Mutation(name, -1, from).of(model);
    }

    /** The number of the first fault of each type, where all faults of some types are numbered one after the other. */
    static Map<String, Integer> firstNumbers(List<String> types) {
        Map<String, Integer> first = new HashMap<>();
        int next = 0;
        for (String type : types) {
            first.put(type, next);
            Mutation mutation = new Mutation(type, -1);
            mutation.of(FILES.parse(ProtocolLoader.classFile(type)));
            next += mutation.found.size();
        }
        if (next > Taken.BRANCHES.length) {
            throw new IllegalStateException(next + " faults are more than can be noted");
        }
        return first;
    }

    private static final class Mutation {
        private final String type;
        private final int wanted;
        /** First number of recorded executions; or none. */
        private final int noted;

        private final List<String> lines;
        private final List<Mutant> found = new ArrayList<>();
        private final Map<String, Integer> times = new HashMap<>();

        Mutation(String type, int wanted) {
            this(type, wanted, NOT);
        }

        Mutation(String type, int wanted, int noted) {
            this.type = type;
            this.wanted = wanted;
            this.noted = noted;
            this.lines = read(outermost(type).replace('.', '/') + ".java");
        }

        /** Sources of protocols are resources; those of the checkers are in their module only. */
        private static List<String> read(String path) {
            Path file = Path.of(System.getProperty("reprobe.home", "."), "harness/modelcheck/src/main/java", path);
            try (InputStream resource = Mutants.class.getClassLoader().getResourceAsStream(path);
                    InputStream in = resource == null && Files.exists(file) ? Files.newInputStream(file) : resource) {
                return in == null
                        ? List.of()
                        : new String(in.readAllBytes(), StandardCharsets.UTF_8)
                                .lines()
                                .toList();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        byte[] of(ClassModel model) {
            return FILES.transformClass(model, (builder, element) -> {
                if (element instanceof MethodModel method && method.code().isPresent()) {
                    builder.transformMethod(method, MethodTransform.transformingCode(new Faulty(method)));
                } else {
                    builder.with(element);
                }
            });
        }

        private final class Faulty implements CodeTransform {
            private final String method;
            private final MethodTypeDesc signature;
            private final boolean counts;
            private final Set<Label> behind = new HashSet<>();
            private @Nullable CodeBuilder code;
            private int line;

            Faulty(MethodModel model) {
                this.method = model.methodName().stringValue().replaceAll("lambda\\$|\\$\\d+$", "");
                this.signature = model.methodTypeSymbol();
                this.counts = (!OTHER_METHODS.contains(method)
                                && !model.flags().has(AccessFlag.SYNTHETIC)
                                && !model.flags().has(AccessFlag.BRIDGE))
                        || method.startsWith("lambda");
            }

            private String source() {
                return line >= 1 && line <= lines.size() ? lines.get(line - 1).strip() : "line " + line;
            }

            private boolean counts() {
                return counts && line > 0 && !NO_PROTOCOL.matcher(source()).find();
            }

            /** Returns true if a return would not change. */
            private boolean isSame(String what) {
                return what.startsWith("returns ") && source().equals("return " + what.substring(8) + ";");
            }

            /** Returns true if a possible fault here is the requested one. */
            private boolean here(String what) {
                if (!counts() || isSame(what)) {
                    return false;
                }
                int time = times.merge(method + what + source(), 1, Integer::sum);
                String words = time == 1 ? what : what + " (" + time + ")";
                found.add(new Mutant(type, method, line, found.size(), words, source()));
                if (noted != NOT && code != null && !what.startsWith("jumps")) {
                    note(found.size() - 1, code);
                }
                return found.size() - 1 == wanted;
            }

            @Override
            public void accept(CodeBuilder code, CodeElement element) {
                this.code = code;
                switch (element) {
                    case LineNumber number -> {
                        line = number.line();
                        code.with(number);
                    }
                    case LabelTarget target -> {
                        behind.add(target.label());
                        code.with(target);
                    }
                    case BranchInstruction branch -> branch(code, branch);
                    case InvokeInstruction call -> call(code, call);
                    case ReturnInstruction end -> end(code, end);
                    case FieldInstruction field -> field(code, field);
                    case OperatorInstruction operator -> operator(code, operator);
                    case IncrementInstruction increment ->
                        code.iinc(
                                increment.slot(),
                                here("counts the other way") ? -increment.constant() : increment.constant());
                    default -> code.with(element);
                }
            }

            private void note(int number, CodeBuilder code) {
                code.loadConstant(noted + number)
                        .invokestatic(TAKEN, "mark", MethodTypeDesc.of(ConstantDescs.CD_void, ConstantDescs.CD_int));
            }

            private void branch(CodeBuilder code, BranchInstruction branch) {
                if (noted == NOT && behind.contains(branch.target())) {
                    code.invokestatic(FUEL, "burn", NOTHING);
                }
                Opcode opcode = branch.opcode();
                if (opcode == Opcode.GOTO || opcode == Opcode.GOTO_W) {
                    code.with(branch);
                    return;
                }
                boolean always = here("jumps always");
                boolean never = here("jumps never");
                Opcode bound = bound(opcode);
                boolean offByOne = bound != null && here("bound off by one");
                if (noted != NOT && counts()) {
                    int number = found.size() - (bound == null ? 2 : 3);
                    Label jumps = code.newLabel();
                    Label goesOn = code.newLabel();
                    code.branch(opcode, jumps);
                    note(number, code);
                    code.goto_(goesOn).labelBinding(jumps);
                    note(number + 1, code);
                    code.goto_(branch.target()).labelBinding(goesOn);
                } else if (always || never) {
                    code.pop();
                    if (opcode.name().startsWith("IF_")) {
                        code.pop();
                    }
                    if (always) {
                        code.goto_(branch.target());
                        // The following code is unreachable now, which the verifier rejects.
                    }
                } else {
                    code.branch(offByOne && bound != null ? bound : opcode, branch.target());
                }
            }

            private static @Nullable Opcode bound(Opcode opcode) {
                return switch (opcode) {
                    case IFLT -> Opcode.IFLE;
                    case IFLE -> Opcode.IFLT;
                    case IFGT -> Opcode.IFGE;
                    case IFGE -> Opcode.IFGT;
                    case IF_ICMPLT -> Opcode.IF_ICMPLE;
                    case IF_ICMPLE -> Opcode.IF_ICMPLT;
                    case IF_ICMPGT -> Opcode.IF_ICMPGE;
                    case IF_ICMPGE -> Opcode.IF_ICMPGT;
                    default -> null;
                };
            }

            private void call(CodeBuilder code, InvokeInstruction call) {
                boolean isVoid = call.typeSymbol().returnType().equals(ConstantDescs.CD_void);
                String name = call.name().stringValue();
                if (!isVoid || name.equals("<init>") || !here("leaves out " + name)) {
                    code.with(call);
                    return;
                }
                List<ClassDesc> parameters = call.typeSymbol().parameterList();
                for (int i = parameters.size() - 1; i >= 0; i--) {
                    drop(code, TypeKind.from(parameters.get(i)));
                }
                if (call.opcode() != Opcode.INVOKESTATIC) {
                    code.pop();
                }
            }

            private static void drop(CodeBuilder code, TypeKind kind) {
                if (kind.slotSize() == 2) {
                    code.pop2();
                } else {
                    code.pop();
                }
            }

            private void end(CodeBuilder code, ReturnInstruction end) {
                ClassDesc type = signature.returnType();
                if (type.equals(ConstantDescs.CD_boolean)) {
                    boolean no = here("returns false");
                    boolean yes = here("returns true");
                    if (no || yes) {
                        code.pop().loadConstant(yes ? 1 : 0);
                    }
                } else if (type.equals(ConstantDescs.CD_int)) {
                    if (here("returns one more")) {
                        code.iconst_1().iadd();
                    }
                } else if (type.equals(ConstantDescs.CD_long)) {
                    if (here("returns one more")) {
                        code.lconst_1().ladd();
                    }
                    if (here("returns 0")) {
                        code.pop2().lconst_0();
                    }
                }
                code.with(end);
            }

            private void field(CodeBuilder code, FieldInstruction field) {
                String owner = field.owner().asInternalName();
                boolean constant = field.opcode() == Opcode.GETSTATIC
                        && field.typeSymbol().isClassOrInterface()
                        && owner.startsWith("org/reprobe/")
                        && field.typeSymbol().equals(field.owner().asSymbol());
                if (constant) {
                    List<String> all = constants(owner);
                    for (String other : all) {
                        if (all.contains(field.name().stringValue())
                                && !other.equals(field.name().stringValue())
                                && here(other + " for " + field.name().stringValue())) {
                            code.getstatic(field.owner().asSymbol(), other, field.typeSymbol());
                            return;
                        }
                    }
                }
                code.with(field);
            }

            private static List<String> constants(String owner) {
                return FILES.parse(ProtocolLoader.classFile(owner.replace('/', '.'))).fields().stream()
                        .filter(field -> field.flags().has(AccessFlag.ENUM))
                        .map(FieldModel::fieldName)
                        .map(Object::toString)
                        .toList();
            }

            private void operator(CodeBuilder code, OperatorInstruction operator) {
                Opcode other = switch (operator.opcode()) {
                    case IADD -> Opcode.ISUB;
                    case ISUB -> Opcode.IADD;
                    case LADD -> Opcode.LSUB;
                    case LSUB -> Opcode.LADD;
                    case IAND -> Opcode.IOR;
                    case IOR -> Opcode.IAND;
                    case LAND -> Opcode.LOR;
                    case LOR -> Opcode.LAND;
                    case IREM -> Opcode.IMUL;
                    case LREM -> Opcode.LMUL;
                    default -> null;
                };
                if (other != null
                        && here(other.name() + " for " + operator.opcode().name())) {
                    code.with(OperatorInstruction.of(other));
                } else {
                    code.with(operator);
                }
            }
        }
    }
}
