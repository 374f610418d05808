/** The views of the page, by their names in the address. */
export const VIEWS = ['calls', 'approvals', 'jobs', 'runs', 'tools', 'changes', 'branches', 'policy', 'connections', 'projects'] as const;
export type ViewName = (typeof VIEWS)[number];

/** A location in the page: `#/calls/<id>`. */
export interface Route {
  readonly view: ViewName;
  readonly id: string | undefined;
}

export function parseRoute(hash: string): Route {
  const [, name, ...rest] = hash.split('/');
  const view = VIEWS.find((one) => one === name) ?? 'calls';
  try {
    return { view, id: rest.length === 0 || rest[0] === '' ? undefined : decodeURIComponent(rest.join('/')) };
  } catch {
    // An incomplete escape sequence.
    return { view, id: undefined };
  }
}

export function hrefOf(view: ViewName, id?: string): string {
  return id === undefined ? `#/${view}` : `#/${view}/${encodeURIComponent(id)}`;
}
