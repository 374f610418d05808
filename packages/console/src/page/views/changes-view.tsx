import { useState } from 'preact/hooks';
import { Tabs } from '../parts/tabs.tsx';
import { PendingTab } from './pending-tab.tsx';
import { QuarantineTab } from './quarantine-tab.tsx';
import { SessionsTab } from './sessions-tab.tsx';

const TABS = [
  ['sessions', 'By session'],
  ['pending', 'Pending'],
  ['quarantine', 'Quarantine'],
] as const;
type TabName = (typeof TABS)[number][0];

const SHOWN: Readonly<Record<TabName, (props: { readonly id: string | undefined }) => preact.JSX.Element>> = {
  sessions: SessionsTab,
  pending: PendingTab,
  quarantine: QuarantineTab,
};

/** Changes by calls, pending changes, and the quarantine. */
export function ChangesView({ id }: { readonly id: string | undefined }) {
  const [tab, setTab] = useState<TabName>('sessions');
  const Shown = SHOWN[tab];
  return (
    <div class="column">
      <Tabs label="Changes" tabs={TABS} current={tab} onChoose={setTab} />
      <div role="tabpanel" aria-labelledby={`tab-${tab}`}>
        <Shown id={id} />
      </div>
    </div>
  );
}
