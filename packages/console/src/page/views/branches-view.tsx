import { BranchCard } from '../branches/branch-card.tsx';
import { BranchPanel } from '../branches/branch-panel.tsx';
import { useTick } from '../branches/use-tick.ts';
import { useRequest } from '../link/use-request.ts';
import { Empty, Failure, Loading } from '../parts/note.tsx';
import { useStore } from '../state/store.ts';

/** Milliseconds between looks at branches, in which other processes work. */
const LOOK_MS = 2_000;

/** Branches beside each other, and one of them in full. */
export function BranchesView({ id }: { readonly id: string | undefined }) {
  const stale = useStore((state) => state.stale.branches);
  const tick = useTick(LOOK_MS);
  const { value, error, reload } = useRequest('branches.list', {}, `${stale} ${tick}`);
  const selected = value?.find(({ name }) => name === id);
  return (
    <div class={selected === undefined ? 'split' : 'split has-panel wide-panel'}>
      <div class="split-list scroll">
        {value === undefined && error === undefined && <Loading />}
        <Failure error={error} onRetry={reload} />
        {value?.length === 0 && (
          <Empty title="No branches">
            A branch is a copy of the workspace in which an agent can work. To make one: synapse branch new fix-login. Its changes wait here until you
            apply them.
          </Empty>
        )}
        <ul class="branch-list">
          {value?.map((branch) => (
            <BranchCard key={branch.name} branch={branch} current={branch.name === id} />
          ))}
        </ul>
      </div>
      {selected !== undefined && value !== undefined && (
        <BranchPanel key={selected.name} branch={selected} others={value.filter(({ name }) => name !== selected.name)} />
      )}
    </div>
  );
}
