import type { HomeFile } from '../run-files.ts';

/**
 * Offline settings for package managers: use the cache, and do not retry. Without them, npm takes a minute
 * to report that it cannot reach a registry.
 */
export const OFFLINE_ENVIRONMENT: Readonly<Record<string, string>> = {
  npm_config_fetch_retries: '0',
  npm_config_prefer_offline: 'true',
  // For pnpm 11; see the file for others.
  pnpm_config_manage_package_manager_versions: 'false',
  YARN_HTTP_RETRY: '0',
  COREPACK_ENABLE_NETWORK: '0',
  // Without any retry, pip does not even report that it could not reach the index.
  PIP_RETRIES: '1',
  UV_HTTP_RETRIES: '0',
  POETRY_REQUESTS_MAX_RETRIES: '0',
  // Versions are chosen among those that were downloaded before.
  CARGO_NET_OFFLINE: 'true',
  GOPROXY: 'off',
  // Otherwise go downloads the version of itself that a module names.
  GOTOOLCHAIN: 'local',
  BUNDLE_RETRY: '0',
  COMPOSER_DISABLE_NETWORK: '1',
};

/** A proxy of the user is out of reach without a network, and with it so would be the servers that a command starts itself. */
export const UNREACHED_PROXIES: readonly string[] = ['http_proxy', 'https_proxy', 'all_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'];

/**
 * Otherwise pnpm downloads the version of itself in packageManager, and none of its commands works. A file, because pnpm 10 reads
 * only the variables of npm, and npm 11 warns about variables that it does not know.
 */
export const OFFLINE_FILES: readonly HomeFile[] = [{ name: '.config/pnpm/rc', content: 'manage-package-manager-versions=false\n' }];
