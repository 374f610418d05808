import { workspaceId } from '@synapse/hands';
import { SynapseError } from '@synapse/protocol';
import { randomBytes } from 'node:crypto';
import { closeSync, constants, fstatSync, linkSync, mkdirSync, openSync, readSync, unlinkSync, writeFileSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { isToken, MIN_TOKEN_CHARACTERS } from './bearer-token.ts';

/** Bytes; a token is one line. */
const MAX_FILE_BYTES = 8 * 1024;
const TOKEN_BYTES = 32;
/** Permission bits of others than the owner. */
const OTHERS = 0o077;

/** A token, and where it stands: the path may be told, the token never. */
export interface StoredToken {
  readonly token: string;
  readonly path: string;
}

function errno(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Why a file may not be trusted to hold a secret. */
function problem(path: string, stat: Stats): SynapseError | undefined {
  if (!stat.isFile()) return new SynapseError('wrong_type', `The token file ${path} is no file.`, { hint: 'Name a file that holds the token.' });
  // Windows has no such bits; there the folder of the user protects it.
  const me = process.getuid?.();
  if (me === undefined) return undefined;
  if (stat.uid !== me && stat.uid !== 0) {
    return new SynapseError('denied', `The token file ${path} belongs to another user.`, {
      hint: 'Whoever owns it can change the token; use one of your own.',
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
 * Reads the token of a file that nobody but its owner can read.
 *
 * @throws SynapseError `not_found`, `wrong_type`, `denied` or `invalid_arguments`; never with what the file holds
 */
export function readTokenFile(path: string): StoredToken {
  let fd: number;
  try {
    // A pipe would wait for a writer.
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
 * The token of a workspace in the state folder; it is made with the first start and kept, so that clients need to
 * be told once. Removing the file makes the next start take another.
 */
export function ensureTokenFile(stateFolder: string, workspace: string): StoredToken {
  const folder = join(stateFolder, 'mcp-http');
  const path = join(folder, `${workspaceId(workspace)}.token`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const temporary = `${path}.${randomBytes(6).toString('hex')}`;
  writeFileSync(temporary, `${randomBytes(TOKEN_BYTES).toString('hex')}\n`, { mode: 0o600, flag: 'wx' });
  try {
    // A link appears whole and never replaces: of two that start at once, both read the same token.
    linkSync(temporary, path);
  } catch (error) {
    if (errno(error) !== 'EEXIST') throw error;
  } finally {
    unlinkSync(temporary);
  }
  return readTokenFile(path);
}
