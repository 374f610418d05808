import type { Tier } from './tier.ts';

/** What a choice means. */
interface SandboxChoiceFacts {
  /** What may confine commands, the best first. */
  readonly tiers: ReadonlyArray<Tier['name']>;
  /** What happens if none of them works. */
  readonly otherwise: 'refused' | 'unconfined';
}

/**
 * How commands are confined. `auto`: as well as possible; if they run without a sandbox, the policy and every result say so. `required`: no
 * command runs without bubblewrap. `confined`: nor without a sandbox, of which Landlock and, on macOS, Seatbelt count. `landlock`: always with
 * Landlock. `none`: never in a sandbox.
 */
export const SANDBOX_CHOICE_FACTS = {
  auto: { tiers: ['bubblewrap', 'landlock', 'seatbelt'], otherwise: 'unconfined' },
  required: { tiers: ['bubblewrap'], otherwise: 'refused' },
  confined: { tiers: ['bubblewrap', 'landlock', 'seatbelt'], otherwise: 'refused' },
  landlock: { tiers: ['landlock'], otherwise: 'refused' },
  none: { tiers: [], otherwise: 'unconfined' },
} as const satisfies Record<string, SandboxChoiceFacts>;

export type SandboxChoice = keyof typeof SANDBOX_CHOICE_FACTS;
export const SANDBOX_CHOICES = Object.keys(SANDBOX_CHOICE_FACTS).filter((name): name is SandboxChoice => name in SANDBOX_CHOICE_FACTS);
