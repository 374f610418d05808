import type { Device, Grants } from '@synapse/protocol/remote';

/** Milliseconds between checks for changed pairings. */
const GRANTS_MS = 500;

/** Pairing of the hands with devices. */
export interface HandsPairing {
  readonly device: Device;
  /** Returns the current grants. */
  readonly grants: () => Grants;
  /** Returns a text that changes when the grants may have changed. */
  readonly version: () => string;
}

/** Watches the grants, because the owner may revoke a device at any time from another process. Stop it with `clearInterval`. */
export function watchGrants(
  { grants, version }: HandsPairing,
  to: { readonly onChange: (grants: Grants) => void; readonly onFailure: (error: unknown) => void },
): NodeJS.Timeout {
  let known = version();
  return setInterval(() => {
    try {
      const current = version();
      if (current === known) return;
      known = current;
      to.onChange(grants());
    } catch (error) {
      // The grants are unknown, so stop serving.
      to.onFailure(error);
    }
  }, GRANTS_MS);
}
