import { createInvitation } from '../relay/enrollment.ts';
import type { RelayAdmin } from '../relay/relay-admin.ts';
import { KvEnrollments } from './kv-enrollments.ts';
import { openNats, type NatsOptions } from './open-nats.ts';

/** Returns the owner's functions for a relay on NATS. */
export function natsRelayAdmin(options: NatsOptions): RelayAdmin {
  const withEnrollments = async <Value>(work: (enrollments: KvEnrollments) => Promise<Value>): Promise<Value> => {
    await using nats = await openNats(options, 'paired');
    return await work(new KvEnrollments(nats.account));
  };
  return {
    invite: async () => {
      const { code, invitation } = await createInvitation();
      await withEnrollments((enrollments) => enrollments.change(() => invitation));
      return code;
    },
    machines: () => withEnrollments((enrollments) => enrollments.machines()),
    remove: (isMeant) => withEnrollments((enrollments) => enrollments.remove(isMeant)),
  };
}
