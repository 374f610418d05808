import { render } from 'preact';
import { App } from './app.tsx';
import { line } from './link/line.ts';
import { signInFromLink } from './link/sign-in.ts';

const root = document.getElementById('app');
if (root !== null) render(<App />, root);
await signInFromLink();
await line.connect();
