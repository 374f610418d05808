/** A request of a command that its proxy holds until a person has decided. Every text in it is safe to show. */
export interface HeldRequest {
  /** In one line: `POST api.example.com/repos/a`, or `connect to api.example.com`. */
  readonly text: string;
  /** The rule that would allow it, as in `fetch(…)`; undefined if no rule can say it. */
  readonly rule: string | undefined;
  /** The rule that asks about it; undefined if no rule allows it. */
  readonly askedBy: string | undefined;
}

/** Asks a person about a request while the command waits for it. Anything but a yes is false. */
export type AskAboutRequest = (held: HeldRequest, signal: AbortSignal) => Promise<boolean>;
