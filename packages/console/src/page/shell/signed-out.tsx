import { Logo } from '../parts/logo.tsx';

/** The page for a browser that is not signed in. */
export function SignedOut() {
  return (
    <main class="signed-out">
      <Logo />
      <h1>Synapse console</h1>
      <p>This browser is not signed in. A link works once, and for ten minutes.</p>
      <p>
        Start the console again and open the address that it prints: <code>synapse console --open</code>
      </p>
      <button type="button" class="button primary" onClick={() => location.reload()}>
        Try again
      </button>
    </main>
  );
}
