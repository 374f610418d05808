import type { Approver } from './approver.ts';

/**
 * The approver for one call: its own, except for what that one cannot show in full while the other can. The own one is
 * asked after all if the other has no person to ask.
 */
export function approverOf(own: Approver | undefined, other: Approver | undefined): Approver | undefined {
  if (own === undefined || other === undefined || (own.showsAll === undefined && own.canFill === undefined)) return own ?? other;
  let decided = own;
  return {
    // For the record of the call, which is written after the answer.
    get name() {
      return decided.name;
    },
    async ask(request, signal, onShown) {
      if (own.showsAll?.(request) === false) {
        const answer = await other.ask(request, signal, onShown);
        if (answer.verdict !== 'later') {
          decided = other;
          return answer;
        }
      }
      signal.throwIfAborted();
      return await own.ask(request, signal, onShown);
    },
    ...(own.fill === undefined
      ? {}
      : {
          async fill(form, signal) {
            const to = own.canFill?.(form) === false ? other : own;
            return (await to.fill?.(form, signal)) ?? { action: 'cancel' };
          },
        }),
  };
}
