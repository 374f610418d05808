/** Icon paths on a grid of 16 by 16. */
const PATHS = {
  calls: 'M2 4h12M2 8h12M2 12h8',
  approvals: 'M8 1.5 13.5 4v4c0 3.2-2.3 5.6-5.5 6.5C4.8 13.6 2.5 11.2 2.5 8V4ZM5.5 8l1.8 1.8L10.7 6.4',
  jobs: 'M2 3h12v10H2zM4.5 6.5 6.5 8l-2 1.5M8.5 10h3',
  runs: 'M4.5 2.5v11l9-5.5z',
  tools: 'M10 2.2a3.4 3.4 0 0 0-3.9 4.7L2 11v3h3l4.1-4.1A3.4 3.4 0 0 0 13.8 6L11.600 8 9.500 7.500 8 4.400z',
  changes: 'M4 2v8M4 14v-1M4 10a2 2 0 1 0 0 3.900M12 14V6M12 2v1M12 6a2 2 0 1 0 0-3.900',
  branches:
    'M4 5.500v5M4 5.500a1.750 1.750 0 1 0 0-3.500 1.750 1.750 0 0 0 0 3.500M4 14a1.750 1.750 0 1 0 0-3.500A1.750 1.750 0 0 0 4 14M12 5.500A1.750 1.750 0 1 0 12 2a1.750 1.750 0 0 0 0 3.500M12 5.500c0 3-8 1.500-8 5',
  policy: 'M8 2v12M4 4h8M4 4 2 9h4zM12 4l-2 5h4zM5 14h6',
  connections: 'M6 10 10 6M5 7 3.500 8.500a2.500 2.500 0 0 0 4 4L9 11M7 5l1.500-1.500a2.500 2.500 0 0 1 4 4L11 9',
  projects: 'M2 4h4l1.500 2H14v7H2z',
  menu: 'M2 4h12M2 8h12M2 12h12',
  close: 'M4 4l8 8M12 4l-8 8',
  back: 'M10 3 5 8l5 5',
  search: 'M7 2.500a4.500 4.500 0 1 0 0 9 4.500 4.500 0 0 0 0-9M10.300 10.300 14 14',
  bell: 'M3.500 11.500h9l-1.200-1.700V7a3.300 3.300 0 0 0-6.600 0v2.800ZM6.700 13.500a1.400 1.400 0 0 0 2.600 0',
  file: 'M4 1.500h5L12.500 5v9.500H4zM9 1.500V5h3.500',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} fill="none" stroke="currentColor" stroke-width="1.4" stroke-linecap="round" stroke-linejoin="round" />
    </svg>
  );
}
