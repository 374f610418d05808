// `npm run build`: install and compile where needed.
import { prepare } from './prepare.mjs';

prepare();
