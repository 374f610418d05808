/** A command that ends a machine or what is on it, and what it would do. */
interface BlockedCommand {
  readonly pattern: RegExp;
  readonly what: string;
}

/** Where a command begins: at the start, behind an operator, or behind a program that runs another. */
const START = String.raw`(?:^|[;&|(\x60\n{]|\$\(|\b(?:sudo|doas|exec|nohup|env|time|nice|xargs|command|then|do|else)\s)\s*`;
const at = (command: string): RegExp => new RegExp(START + command, 'u');

/**
 * A courtesy that catches accidents. It is no boundary: a command can be written in endless ways, and
 * what holds is the sandbox and the policy of the hands.
 */
const BLOCKED: readonly BlockedCommand[] = [
  {
    pattern: at(
      String.raw`rm\s+(?=(?:\S+\s+)*-\S*[rR]|(?:\S+\s+)*--recursive)(?:-\S+\s+)*["']?(?:/|~|\$HOME|\$\{HOME\})["']?(?:/?\*)?\s*(?:$|[;&|)\n}])`,
    ),
    what: 'deletes the whole disk or the home folder',
  },
  { pattern: at(String.raw`rm\s.*--no-preserve-root`), what: 'deletes the whole disk' },
  { pattern: at(String.raw`mkfs(?:\.\w+)?\s`), what: 'formats a disk' },
  { pattern: at(String.raw`(?:wipefs|shred|fdisk|parted|sgdisk)\s.*/dev/`), what: 'wipes a disk' },
  { pattern: at(String.raw`dd\s.*\bof=/dev/(?!null\b|stdout\b|stderr\b)`), what: 'writes to a device' },
  { pattern: /(?<![<>])>{1,2}\s*\/dev\/(?:sd|hd|vd|xvd|nvme|disk|mapper|mem|kmem)/u, what: 'writes to a device' },
  { pattern: /:\s*\(\s*\)\s*\{\s*:\s*\|\s*:\s*&\s*\}\s*;\s*:/u, what: 'is a fork bomb' },
  { pattern: at(String.raw`(?:shutdown|reboot|halt|poweroff)\b(?!\s*=)`), what: 'turns the machine off' },
  { pattern: at(String.raw`(?:init|telinit)\s+[06]\b`), what: 'turns the machine off' },
  { pattern: at(String.raw`(?:chmod|chown)\s+(?:\S+\s+)*-\S*R\S*\s+(?:\S+\s+)*/\s*(?:$|[;&|)\n}])`), what: 'changes the rights of the whole disk' },
];

/** What a command would do that the list forbids; undefined where it forbids nothing. */
export function blockedReason(command: string): string | undefined {
  return BLOCKED.find(({ pattern }) => pattern.test(command))?.what;
}
