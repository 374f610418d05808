// `npm run build`: installs and compiles if needed.
import { prepare } from './prepare.mjs';

await prepare();
