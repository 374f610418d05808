import { SynapseError } from '@synapse/protocol';
import type { TooLargeToUndo } from '../journal/capture.ts';
import { showEffect } from '../dry-run/show-effect.ts';
import type { Runtime } from '../runtime.ts';
import { bound } from './bound.ts';
import type { AuthorizedCall, Rehearsed } from './call.ts';
import { execute } from './execute.ts';
import { isRehearsable } from './is-rehearsable.ts';

/**
 * Runs the tool of a call so that nothing changes, and tells what it would have changed.
 *
 * @param call may not be approved: whoever calls this knows that what happens in a dry run is permitted
 * @throws SynapseError `unavailable` where that cannot be done; what the tool throws otherwise
 */
export async function rehearse(call: AuthorizedCall, runtime: Runtime): Promise<Rehearsed> {
  if (!isRehearsable(call)) {
    throw new SynapseError(
      'unavailable',
      `A dry run of ${call.tool.name} is not possible: it acts outside the workspace, where nothing can be tried. It was not run.`,
      {
        hint: 'Look at what it needs instead (synapse policy explain), or make the call.',
      },
    );
  }
  using limited = bound(call, runtime.closing);
  await using stack = new AsyncDisposableStack();
  const { rehearsal, guards } = runtime.openRehearsal(limited);
  stack.use(rehearsal);
  const executed = await execute({ ...limited, rehearsal }, runtime.context({ ...limited, rehearsal }));
  const effect = rehearsal.effect();
  const shown = await showEffect(effect, rehearsal.powers, guards.read);
  const owned = stack.move();
  return { executed, effect, powers: rehearsal.powers, shown, [Symbol.asyncDispose]: () => owned[Symbol.asyncDispose]() };
}

/** What a call would take away for good. Where that cannot be told, the call itself will tell why it fails. */
export async function foreseeLosses(call: AuthorizedCall, runtime: Runtime): Promise<readonly TooLargeToUndo[]> {
  if (call.tool.effects !== 'write' || !isRehearsable(call) || !runtime.mayTakeAwayMuch(call.permissions)) return [];
  using limited = bound(call, runtime.closing);
  const { rehearsal } = runtime.openRehearsal(limited, { measure: true });
  await using _ = rehearsal;
  try {
    await execute({ ...limited, rehearsal }, runtime.context({ ...limited, rehearsal }));
  } catch {
    // It has not begun yet: its own failure is for later.
  }
  return rehearsal.effect().tooLarge;
}
