import type { ComponentChildren } from 'preact';

/** A placeholder for an empty view. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children !== undefined && <p class="muted">{children}</p>}
    </div>
  );
}

interface Told {
  readonly message: string;
  readonly hint?: string | undefined;
}

/** An error with its hint. */
export function Failure({ error, onRetry }: { readonly error: Told | undefined; readonly onRetry?: () => void }) {
  if (error === undefined) return null;
  return (
    <div class="note note-bad" role="alert">
      <p>{error.message}</p>
      {error.hint !== undefined && <p class="muted">{error.hint}</p>}
      {onRetry !== undefined && (
        <button type="button" class="button small" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}

export function Loading() {
  return (
    <div class="loading" role="status">
      <span class="visually-hidden">Loading</span>
    </div>
  );
}
