import type { Node } from 'web-tree-sitter';

const FUNCTIONS: ReadonlySet<string> = new Set(['arrow_function', 'function_expression', 'function', 'generator_function']);

/** Nodes of JavaScript around a value that leave it as it is. */
const AROUND: ReadonlySet<string> = new Set(['parenthesized_expression', 'as_expression', 'satisfies_expression', 'non_null_expression']);
/** Those around a call whose result does not matter: `!function () {}()`. */
const UNUSED: ReadonlySet<string> = new Set(['expression_statement', 'unary_expression', 'await_expression']);
const FREEZES = /^Object\.(?:freeze|seal|preventExtensions)$/u;
/** Functions that call one of their arguments once, with the code of a module. */
const LOADERS = /^(?:define|require|requirejs|\$|jQuery)$/u;
const MAX_AROUND = 20;

const field = (node: Node, name: string): Node | undefined => node.childForFieldName(name) ?? undefined;
const argumentsOf = (call: Node): Node[] => field(call, 'arguments')?.namedChildren ?? [];

/** Whether a value of JavaScript is a function. */
export const isFunction = (node: Node): boolean => FUNCTIONS.has(node.type);

/** A value of JavaScript without what leaves it as it is: brackets, types, `Object.freeze`. */
export function plainValue(value: Node | undefined, around = AROUND): Node | undefined {
  let node = value;
  for (let level = 0; node !== undefined && level < MAX_AROUND; level += 1) {
    const frozen: Node | undefined =
      node.type === 'call_expression' && FREEZES.test(field(node, 'function')?.text.slice(0, 40) ?? '') ? argumentsOf(node)[0] : undefined;
    const inner: Node | undefined = frozen ?? (around.has(node.type) ? (node.namedChildren[0] ?? undefined) : undefined);
    if (inner === undefined) break;
    node = inner;
  }
  return node;
}

/** The body of a function that is called where it is written: `(function () {})()`. */
export function calledBody(value: Node | undefined): Node | undefined {
  const called = value?.type === 'call_expression' ? plainValue(field(value, 'function')) : undefined;
  return called !== undefined && isFunction(called) ? blockOf(called) : undefined;
}

const blockOf = (called: Node): Node | undefined => {
  const body = field(called, 'body');
  return body?.type === 'statement_block' ? body : undefined;
};

/** The bodies of functions that a statement calls at once, as those of modules before there were modules: what they declare is that of the file. */
export function moduleBodies(statement: Node): Node[] {
  if (statement.type !== 'expression_statement') return [];
  const call = plainValue(statement, new Set([...AROUND, ...UNUSED]));
  if (call?.type !== 'call_expression') return [];
  const own = calledBody(call);
  if (own === undefined && !LOADERS.test(field(call, 'function')?.text.slice(0, 20) ?? '')) return [];
  const given = argumentsOf(call).flatMap((one) => (isFunction(one) ? (blockOf(one) ?? []) : []));
  return own === undefined ? given : [own, ...given];
}
