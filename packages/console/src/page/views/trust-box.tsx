import { line } from '../link/line.ts';
import { useRequest } from '../link/use-request.ts';
import { Code } from '../parts/code.tsx';
import { visible } from '../parts/format.ts';
import { Failure, Loading } from '../parts/note.tsx';
import { useAction } from '../parts/use-action.ts';

/** Shows what trusting a project would start and allow, and then asks. */
export function TrustBox({ root, onDone }: { readonly root: string; readonly onDone: () => void }) {
  const { value, error } = useRequest('projects.review', { root });
  const action = useAction();
  if (error !== undefined) return <Failure error={error} />;
  if (value === undefined) return <Loading />;
  const { starts, configuration, problems, fingerprint } = value;
  const trust = (): void =>
    void action.run(async () => {
      const done = await line.request('projects.trust', { root, fingerprint });
      onDone();
      return done;
    });
  return (
    <div class="card trust-box">
      <p>
        A project that is not trusted can only forbid. If you trust this one, its rules can also allow, its mode counts, its MCP servers may start,
        and language servers inside it may run.
      </p>
      {starts.length === 0 && <p class="muted">It names no MCP server.</p>}
      {starts.map(({ name, origin, lines }) => (
        <div key={name}>
          <p>
            MCP server <strong>{visible(name)}</strong> <span class="muted">{visible(origin)}</span>
          </p>
          <Code text={lines.join('\n')} label={`Start of ${visible(name)}`} />
        </div>
      ))}
      {configuration === undefined ? <p class="muted">It has no rules.</p> : <Code text={configuration} label={`Rules of ${visible(root)}`} />}
      {problems.map((problem) => (
        <p key={problem} class="note note-bad">
          {visible(problem)}
        </p>
      ))}
      <Failure error={action.error} />
      <div class="actions">
        <button type="button" class="button primary" disabled={action.busy} onClick={trust}>
          Trust it
        </button>
        <button type="button" class="button" onClick={onDone}>
          Cancel
        </button>
      </div>
    </div>
  );
}
