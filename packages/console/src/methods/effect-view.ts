import type { ShownEffect } from '@synapse/hands';
import { withoutGitData } from '@synapse/hands/internal';
import type { ConsoleEffect } from '@synapse/protocol/console';

/** Converts an effect for the page. */
export function effectView(shown: ShownEffect): ConsoleEffect {
  const { more, omitted, cautions, blocked, meaning = [] } = shown;
  const { changes, repositories } = withoutGitData(shown);
  return {
    meaning: [...meaning],
    changes: [...changes],
    repositories: [...repositories],
    more,
    omitted: omitted.map(({ path, reason }) => ({ path, reason })),
    cautions: [...cautions],
    ...(blocked === undefined ? {} : { blocked }),
  };
}
