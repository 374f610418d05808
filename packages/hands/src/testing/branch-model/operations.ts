import { dirname } from 'node:path';
import { fileWith, isExecutable, isLink, linkTo, PATHS, textOf, type Content, type Path } from './content.ts';

/** One change. Each writes lines that no other one writes. */
export type Operation =
  | { readonly kind: 'whole' | 'remove' | 'link' | 'executable' | 'plain'; readonly path: Path }
  | { readonly kind: 'line'; readonly path: Path; readonly line: number }
  | { readonly kind: 'move'; readonly path: Path; readonly to: Path }
  | { readonly kind: 'folder'; readonly from: 'd' | 'f' };

const WHOLE_LINES = 12;
export const wholeText = (token: string): string => Array.from({ length: WHOLE_LINES }, (_, index) => `${token} ${index}\n`).join('');
export const other = (folder: 'd' | 'f'): 'd' | 'f' => (folder === 'd' ? 'f' : 'd');

/** The lines of a file but the end of the last one. */
export const linesIn = (content: Content): string[] => textOf(content).replace(/\n$/u, '').split('\n');

const isFile = (content: Content): boolean => content !== null && !isLink(content);

/** The operation as a program of the shell. */
export function shellOf(operation: Operation, token: string): string {
  if (operation.kind === 'folder') {
    const [from, to] = [operation.from, other(operation.from)];
    return `if [ -d ${from} ]; then if [ -d ${to} ]; then find ${to} -depth -type d -empty -delete; fi; [ -e ${to} ] || mv ${from} ${to}; fi`;
  }
  const { path } = operation;
  const folder = `mkdir -p ${dirname(path)}`;
  // What changes nothing leaves a file alone: a new time is a change, below which nothing is undone.
  const ifFile = (test: string, command: string): string => `if [ -f ${path} ] && [ ! -L ${path} ] && ${test}; then ${command}; fi`;
  if (operation.kind === 'move') {
    const { to } = operation;
    return path === to ? ':' : `if [ -f ${path} ] || [ -L ${path} ]; then mkdir -p ${dirname(to)}; mv -f ${path} ${to}; fi`;
  }
  if (operation.kind === 'line')
    return ifFile(`[ "$(grep -c '' ${path})" -gt ${operation.line} ]`, `sed -i '${operation.line + 1}s/.*/${token}/' ${path}`);
  return {
    whole: `${folder}; if [ -L ${path} ]; then rm ${path}; fi; printf '%s' '${wholeText(token)}' > ${path}`,
    remove: `rm -f ${path}`,
    link: `${folder}; rm -f ${path}; ln -s '${token}' ${path}`,
    executable: ifFile(`[ ! -x ${path} ]`, `chmod 755 ${path}`),
    plain: ifFile(`[ -x ${path} ]`, `chmod 644 ${path}`),
  }[operation.kind];
}

/** What the operation makes of files. */
export function perform(files: Map<Path, Content>, operation: Operation, token: string): void {
  if (operation.kind === 'folder') {
    moveFolder(files, operation.from);
    return;
  }
  const { path } = operation;
  const now = files.get(path) ?? null;
  if (operation.kind === 'whole') files.set(path, fileWith(wholeText(token), isExecutable(now)));
  else if (operation.kind === 'remove') files.set(path, null);
  else if (operation.kind === 'link') files.set(path, linkTo(token));
  else if (operation.kind === 'move') {
    if (now === null || path === operation.to) return;
    files.set(operation.to, now);
    files.set(path, null);
  } else if (!isFile(now)) return;
  else if (operation.kind === 'line') {
    const lines = textOf(now).split('\n');
    const isThere = operation.line < linesIn(now).length && textOf(now) !== '';
    if (isThere) files.set(path, fileWith(lines.with(operation.line, token).join('\n'), isExecutable(now)));
  } else files.set(path, fileWith(textOf(now), operation.kind === 'executable'));
}

function moveFolder(files: Map<Path, Content>, from: 'd' | 'f'): void {
  const to = other(from);
  if (PATHS.some((at) => at.startsWith(`${to}/`) && (files.get(at) ?? null) !== null)) return;
  for (const at of ['x', 'e/z'] as const) {
    files.set(`${to}/${at}`, files.get(`${from}/${at}`) ?? null);
    files.set(`${from}/${at}`, null);
  }
}
