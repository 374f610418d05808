import { JUDGED_CALLS, REFUSED_CALLS, type JudgedCall, type Refusal, type SeccompArchitecture } from './system-calls.ts';

/** An instruction of classic BPF (linux/filter.h). Jumps count the instructions to skip. */
interface Instruction {
  readonly code: number;
  readonly ifTrue?: number;
  readonly ifFalse?: number;
  readonly value: number;
}

/** Opcodes (linux/bpf_common.h). */
const LOAD = 0x20;
const AND = 0x54;
const JUMP_EQUAL = 0x15;
const JUMP_AT_LEAST = 0x35;
const JUMP_ANY_BIT = 0x45;
const RETURN = 0x06;

/** Verdicts (linux/seccomp.h). The lower half of an error is its number. */
const ALLOW = 0x7fff_0000;
const KILL_PROCESS = 0x8000_0000;
const ERROR = 0x0005_0000;
const ERRNO: Readonly<Record<Refusal, number>> = { denied: 1, missing: 38, unsupported: 95, 'no family': 97 };

/** Offsets in `struct seccomp_data`. Both architectures are little-endian, so the lower half of an argument comes first. */
const NUMBER_AT = 0;
const ARCHITECTURE_AT = 4;
const ARGUMENTS_AT = 16;

/** AUDIT_ARCH_* (linux/audit.h). */
const ARCHITECTURE: Readonly<Record<SeccompArchitecture, number>> = { x64: 0xc000_003e, arm64: 0xc000_00b7 };
/** x32 ABI calls have the architecture of x86-64, but numbers from here on (asm/unistd.h). */
const X32_CALLS = 0x4000_0000;

/** Of a command to a device or a file system (asm-generic/ioctl.h). */
const TYPE_SHIFT = 8;
const TYPE_BITS = 0xff << TYPE_SHIFT;

const load = (value: number): Instruction => ({ code: LOAD, value });
const end = (value: number): Instruction => ({ code: RETURN, value });

/** Returns an error if one of the values is loaded. */
const ifOne = (values: readonly number[], error: Instruction): Instruction[] =>
  values.flatMap((value) => [{ code: JUMP_EQUAL, ifFalse: 1, value }, error]);

/** Skips what follows if one of the values is loaded. */
const unlessOne = (values: readonly number[], rest: readonly Instruction[]): Instruction[] => [
  ...values.map((value, index) => ({ code: JUMP_EQUAL, ifTrue: values.length - index - 1 + rest.length, value })),
  ...rest,
];

/** What returns an error if the loaded argument is a refused one. */
function refusing({ by, values, except = [] }: JudgedCall, error: Instruction): Instruction[] {
  switch (by) {
    case 'value':
      return ifOne(values, error);
    case 'bits':
      return values.flatMap((value) => [{ code: JUMP_ANY_BIT, ifFalse: 1, value }, error]);
    case 'others':
      return unlessOne(values, [error]);
    case 'type': {
      const types = values.map((value) => value << TYPE_SHIFT);
      return unlessOne(except, [{ code: AND, value: TYPE_BITS }, ...ifOne(types, error)]);
    }
    default:
      return by satisfies never;
  }
}

function judge(call: JudgedCall, architecture: SeccompArchitecture): Instruction[] {
  const refused = refusing(call, end(ERROR | ERRNO[call.refusal ?? 'denied']));
  // Then the next one is about the number again: it may judge another argument of the same call.
  const body = [load(ARGUMENTS_AT + 8 * call.argument), ...refused, load(NUMBER_AT)];
  return [{ code: JUMP_EQUAL, ifFalse: body.length, value: call[architecture] }, ...body];
}

function instructions(architecture: SeccompArchitecture, judged: readonly JudgedCall[]): Instruction[] {
  return [
    load(ARCHITECTURE_AT),
    { code: JUMP_EQUAL, ifTrue: 1, value: ARCHITECTURE[architecture] },
    // The call numbers of another architecture differ, so the rest of the filter would be wrong.
    end(KILL_PROCESS),
    load(NUMBER_AT),
    ...(architecture === 'x64' ? [{ code: JUMP_AT_LEAST, ifFalse: 1, value: X32_CALLS }, end(KILL_PROCESS)] : []),
    ...REFUSED_CALLS.flatMap((call) => [{ code: JUMP_EQUAL, ifFalse: 1, value: call[architecture] }, end(ERROR | ERRNO[call.refusal])]),
    ...judged.flatMap((call) => judge(call, architecture)),
    end(ALLOW),
  ];
}

/** The system call filter in the format for bubblewrap: an array of `struct sock_filter`. */
export function filterProgram(architecture: SeccompArchitecture, judged: readonly JudgedCall[] = JUDGED_CALLS): Buffer {
  const program = instructions(architecture, judged);
  const bytes = Buffer.alloc(8 * program.length);
  for (const [index, { code, ifTrue = 0, ifFalse = 0, value }] of program.entries()) {
    bytes.writeUInt16LE(code, 8 * index);
    bytes.writeUInt8(ifTrue, 8 * index + 2);
    bytes.writeUInt8(ifFalse, 8 * index + 3);
    // Bit operators return signed numbers.
    bytes.writeUInt32LE(value >>> 0, 8 * index + 4);
  }
  return bytes;
}
