import { workspaceId } from '@synapse/hands/internal';
import { SynapseError } from '@synapse/protocol';
import { randomBytes } from 'node:crypto';
import { closeSync, constants, fstatSync, linkSync, mkdirSync, openSync, readSync, unlinkSync, writeFileSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { isToken, MIN_TOKEN_CHARACTERS } from './bearer-token.ts';

/** Maximum size of a token file in bytes; a token is one line. */
const MAX_FILE_BYTES = 8 * 1024;
const TOKEN_BYTES = 32;
/** Permission bits of group and others. */
const OTHERS = 0o077;

/** A token and the path of its file. The path may be shown, the token must not. */
export interface StoredToken {
  readonly token: string;
  readonly path: string;
}

function errno(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Returns why a file cannot be trusted with a secret. */
function problem(path: string, stat: Stats): SynapseError | undefined {
  if (!stat.isFile()) return new SynapseError('wrong_type', `The token file ${path} is no file.`, { hint: 'Name a file that holds the token.' });
  // Windows has no such bits; the user's folder protects the file there.
  const me = process.getuid?.();
  if (me === undefined) return undefined;
  if (stat.uid !== me && stat.uid !== 0) {
    return new SynapseError('denied', `The token file ${path} belongs to another user.`, {
      hint: 'Its owner can change the token; use a file of your own.',
    });
  }
  if ((stat.mode & OTHERS) !== 0) {
    return new SynapseError('denied', `The token file ${path} can be read or changed by other users.`, {
      hint: `Make it yours alone: chmod 600 ${path}`,
    });
  }
  return undefined;
}

/**
 * Reads the token from a file that only its owner can read.
 *
 * @throws SynapseError `not_found`, `wrong_type`, `denied` or `invalid_arguments`; never with the content of the file
 */
export function readTokenFile(path: string): StoredToken {
  let fd: number;
  try {
    // Opening a pipe would block until it has a writer.
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const missing = errno(error) === 'ENOENT';
    throw new SynapseError(missing ? 'not_found' : 'denied', `The token file ${path} ${missing ? 'does not exist' : 'cannot be read'}.`, {
      hint: `Make one: (umask 077; openssl rand -hex 32 > ${path}). Without --token-file one is made for you.`,
      cause: error,
    });
  }
  try {
    const stat = fstatSync(fd);
    const wrong = problem(path, stat);
    if (wrong !== undefined) throw wrong;
    const buffer = Buffer.alloc(MAX_FILE_BYTES + 1);
    const token = buffer.toString('utf8', 0, readSync(fd, buffer, 0, buffer.length, 0)).trim();
    if (stat.size > MAX_FILE_BYTES || !isToken(token)) {
      throw new SynapseError('invalid_arguments', `The token file ${path} holds no token.`, {
        hint: `It is one line of at least ${MIN_TOKEN_CHARACTERS} letters, digits and the characters . _ ~ + / - such as openssl rand -hex 32 prints.`,
      });
    }
    return { token, path };
  } finally {
    closeSync(fd);
  }
}

/**
 * Returns the token of a workspace from the state folder. It is created on the first start and kept, so that clients
 * are configured once. After the file is removed, the next start creates another token.
 */
export function ensureTokenFile(stateFolder: string, workspace: string): StoredToken {
  const folder = join(stateFolder, 'mcp-http');
  const path = join(folder, `${workspaceId(workspace)}.token`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const temporary = `${path}.${randomBytes(6).toString('hex')}`;
  writeFileSync(temporary, `${randomBytes(TOKEN_BYTES).toString('hex')}\n`, { mode: 0o600, flag: 'wx' });
  try {
    // A link appears atomically and never replaces a file: two concurrent starts read the same token.
    linkSync(temporary, path);
  } catch (error) {
    if (errno(error) !== 'EEXIST') throw error;
  } finally {
    unlinkSync(temporary);
  }
  return readTokenFile(path);
}
