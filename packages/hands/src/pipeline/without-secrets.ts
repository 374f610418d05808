import { SynapseError, type ContentBlock } from '@synapse/protocol';
import type { ApprovalRequest } from '../approval/approver.ts';
import type { ExecutedCall } from '../call/call.ts';
import type { EffectChange, ShownEffect } from '../dry-run/show-effect.ts';
import type { GrantProposal } from '../policy/grant.ts';
import { TextScrubber, unseen } from '../secrets/scrubber.ts';

/** Takes secrets out of all texts of a value. Returns the same value if it has none. */
function cleanValue(value: unknown, scrubber: TextScrubber): unknown {
  if (typeof value === 'string') return scrubber.clean(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const clean: unknown[] = value.map((one: unknown) => cleanValue(one, scrubber));
    return clean.some((one, index) => one !== value[index]) ? clean : value;
  }
  if (Object.getPrototypeOf(value) !== Object.prototype && Object.getPrototypeOf(value) !== null) return value;
  const clean = Object.entries(value).map(([name, one]: [string, unknown]) => [scrubber.clean(name), cleanValue(one, scrubber), one, name] as const);
  return clean.some(([name, one, before, given]) => one !== before || name !== given)
    ? Object.fromEntries(clean.map(([name, one]) => [name, one]))
    : value;
}

/**
 * Takes the secrets of a user out of what is shown to a person or a client, wherever they come from: a file of the workspace, a diff, or an
 * output. What is written, applied and compared never passes here.
 */
export class SecretMask {
  readonly #scrubber: TextScrubber | undefined;

  constructor(values: readonly string[]) {
    this.#scrubber = values.length === 0 ? undefined : new TextScrubber(unseen(values));
  }

  /** What a call returns. Its notes are cleaned in place, as later stages add to them. */
  call(call: ExecutedCall): ExecutedCall {
    const { content, note, data, state } = call;
    state.notes.splice(0, state.notes.length, ...state.notes.map((one) => this.text(one)));
    return {
      ...call,
      data: this.value(data),
      // As long as before: its size in bytes stays right.
      content: typeof content === 'string' ? this.text(content) : content.map((block) => this.#block(block)),
      note: note === undefined ? undefined : this.text(note),
    };
  }

  /** Changes with diffs. Their names stay, because paths lead to files. */
  changes<Change extends Pick<EffectChange, 'diff' | 'note'>>(changes: readonly Change[]): Change[] {
    return changes.map((change) => ({
      ...change,
      ...(change.diff === undefined ? {} : { diff: this.text(change.diff) }),
      ...(change.note === undefined ? {} : { note: this.text(change.note) }),
    }));
  }

  /** What a dry run, a command or a branch would change. */
  effect<Effect extends ShownEffect>(effect: Effect): Effect {
    const texts = (list: readonly string[]): string[] => list.map((one) => this.text(one));
    return {
      ...effect,
      changes: this.changes(effect.changes),
      cautions: texts(effect.cautions),
      ...(effect.meaning === undefined ? {} : { meaning: texts(effect.meaning) }),
      ...(effect.repositories === undefined ? {} : { repositories: texts(effect.repositories) }),
    };
  }

  /** What an approver gets of a question. The hashes are of the call as it runs. */
  question(request: ApprovalRequest): ApprovalRequest {
    const { changed, reason, effects } = request;
    return {
      ...request,
      arguments: Object.fromEntries(Object.entries(request.arguments).map(([name, one]) => [name, this.value(one)])),
      reason: this.text(reason),
      effects: effects.map((one) => this.text(one)),
      // What is saved must have been shown, and a rule with a secret would be a file that has it.
      proposals: request.proposals.filter(({ rules }) => rules.every((rule) => this.text(rule) === rule)).map((one) => this.#proposal(one)),
      ...(changed === undefined
        ? {}
        : { changed: { ...changed, effect: this.effect(changed.effect), output: this.text(changed.output), headline: this.text(changed.headline) } }),
    };
  }

  #proposal({ covers, doesNotCover, ...proposal }: GrantProposal): GrantProposal {
    const texts = (list: readonly string[]): string[] => list.map((one) => this.text(one));
    return { ...proposal, covers: texts(covers), doesNotCover: texts(doesNotCover) };
  }

  /** An error. Those of edits show the lines that are nearest. */
  error(error: SynapseError): SynapseError {
    const { code, message, hint, details, retryable, cause } = error;
    return new SynapseError(code, this.text(message), {
      ...(hint === undefined ? {} : { hint: this.text(hint) }),
      ...(details === undefined ? {} : { details: Object.fromEntries(Object.entries(details).map(([name, one]) => [name, this.value(one)])) }),
      retryable,
      cause,
    });
  }

  text(text: string): string {
    return this.#scrubber?.clean(text) ?? text;
  }

  value(value: unknown): unknown {
    return this.#scrubber === undefined ? value : cleanValue(value, this.#scrubber);
  }

  #block(block: ContentBlock): ContentBlock {
    return block.type === 'image' ? block : { ...block, text: this.text(block.text) };
  }
}
