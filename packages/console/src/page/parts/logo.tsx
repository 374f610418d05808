/** The logo: two nerve cells, and the signal that runs between them. */
export function Logo() {
  return (
    <svg class="logo" viewBox="0 0 32 32" width="24" height="24" aria-hidden="true" focusable="false">
      <rect class="logo-ground" width="32" height="32" rx="8" />
      <path
        class="logo-signal"
        d="M21.500 10.500C18 7.500 10.500 8 10.500 12c0 5 11 3 11 8 0 4-7.500 4.500-11 1.500"
        fill="none"
        stroke-width="2.600"
        stroke-linecap="round"
      />
      <circle class="logo-cell" cx="22.500" cy="10.500" r="3" />
      <circle class="logo-cell" cx="9.500" cy="21.500" r="3" />
    </svg>
  );
}
