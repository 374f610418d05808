import { Empty } from '../parts/note.tsx';
import { useStore } from '../state/store.ts';
import { ApprovalCard } from './approval-card.tsx';
import { FormCard } from './form-card.tsx';

/** All open questions. */
export function ApprovalsView() {
  const approvals = useStore((state) => state.approvals);
  if (approvals.length === 0) {
    return (
      <Empty title="Nothing waits for you">
        Calls that the policy asks about, and forms of MCP servers, appear here. You can answer them with the keyboard.
      </Empty>
    );
  }
  return (
    <div class="column">
      <p class="hint muted">
        <kbd>Y</kbd> allow once <kbd>N</kbd> deny <kbd>T</kbd> try it <kbd>J</kbd> <kbd>K</kbd> next and previous
      </p>
      {approvals.map((question, index) =>
        question.kind === 'call' ? (
          <ApprovalCard key={question.id} approval={question} first={index === 0} />
        ) : (
          <FormCard key={question.id} form={question} first={index === 0} />
        ),
      )}
    </div>
  );
}
