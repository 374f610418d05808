import { useState } from 'preact/hooks';
import { hrefOf } from '../link/places.ts';
import { useRequest } from '../link/use-request.ts';
import { Badge, type Tone } from '../parts/badge.tsx';
import { visible } from '../parts/format.ts';
import { Empty, Failure, Loading } from '../parts/note.tsx';
import { useStore } from '../state/store.ts';
import { ChecksCard } from './checks-card.tsx';
import { ToolPanel } from './tool-panel.tsx';

const TONES: Readonly<Record<string, Tone>> = { read: 'plain', write: 'warn', exec: 'bad', net: 'warn', mcp: 'warn' };

/** All tools, with forms to try them. */
export function ToolsView({ id }: { readonly id: string | undefined }) {
  const stale = useStore((state) => state.stale.tools);
  const { value, error, reload } = useRequest('tools.list', {}, stale);
  const [text, setText] = useState('');
  const words = text.toLowerCase();
  const shown = value?.filter(({ name, description }) => `${name} ${description}`.toLowerCase().includes(words)) ?? [];
  const selected = value?.find(({ name }) => name === id);
  return (
    <div class={selected === undefined ? 'split' : 'split has-panel wide-panel'}>
      <div class="split-list scroll">
        <label class="search wide">
          <span class="visually-hidden">Find a tool</span>
          <input type="search" placeholder="Find a tool" value={text} onInput={({ currentTarget }) => setText(currentTarget.value)} />
        </label>
        {value === undefined && error === undefined && <Loading />}
        <Failure error={error} onRetry={reload} />
        {value !== undefined && shown.length === 0 && <Empty title="No tool has that name" />}
        <ul class="card-list">
          {shown.map(({ name, description, effects }) => (
            <li key={name}>
              <a class="card-row" href={hrefOf('tools', name)} aria-current={name === id ? 'true' : undefined}>
                <span class="strong">
                  <code>{visible(name)}</code> <Badge tone={TONES[effects] ?? 'plain'}>{effects}</Badge>
                </span>
                <span class="muted two-lines">{visible(description)}</span>
              </a>
            </li>
          ))}
        </ul>
        {value !== undefined && <ChecksCard />}
      </div>
      {selected !== undefined && <ToolPanel key={selected.name} tool={selected} />}
    </div>
  );
}
