import { describe, expect, it } from 'vitest';
import { childEnvironment } from './environment.ts';

describe('childEnvironment', () => {
  it.each([
    'OPENAI_API_KEY',
    'ANTHROPIC_API_KEY',
    'AWS_SECRET_ACCESS_KEY',
    'GITHUB_TOKEN',
    'NPM_TOKEN',
    'DATABASE_URL',
    'SSH_AUTH_SOCK',
    'GPG_AGENT_INFO',
    'DBUS_SESSION_BUS_ADDRESS',
    'XDG_RUNTIME_DIR',
    'DISPLAY',
    'NODE_OPTIONS',
    'LD_PRELOAD',
    'BASH_ENV',
    'ENV',
    'PYTHONSTARTUP',
    'GIT_DIR',
    'GIT_SSH_COMMAND',
    'PWD',
    'CI',
    'HOME_TOKEN',
    'MY_PATH',
    '__proto__',
  ])('keeps %s back', (name) => {
    expect(Object.keys(childEnvironment(Object.fromEntries([[name, 'secret']])))).not.toContain(name);
    expect(Object.values(childEnvironment(Object.fromEntries([[name, 'secret']])))).not.toContain('secret');
  });

  it.each(['HOME', 'USER', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'XDG_CONFIG_HOME', 'JAVA_HOME', 'SSL_CERT_FILE', 'no_proxy'])('passes %s on', (name) => {
    expect(childEnvironment({ [name]: 'value' })).toMatchObject({ [name]: 'value' });
  });

  it('passes a proxy on, but no password in it', () => {
    const parent = { HTTPS_PROXY: 'http://proxy:3128', http_proxy: 'http://user:secret@proxy:3128' };
    expect(childEnvironment(parent)).toHaveProperty('HTTPS_PROXY');
    expect(childEnvironment(parent)).not.toHaveProperty('http_proxy');
  });

  it.each([
    ['/usr/bin:/bin', '/usr/bin:/bin'],
    [':/usr/bin:.:node_modules/.bin::/bin:', '/usr/bin:/bin'],
    ['.', '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'],
    [undefined, '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'],
  ])('makes of PATH %s the absolute part', (path, expected) => {
    expect(childEnvironment({ PATH: path })['PATH']).toBe(expected);
  });

  it('says who runs a program, and says nothing about colors, which tests of them would fail with', () => {
    const environment = childEnvironment({ NO_COLOR: '1', FORCE_COLOR: '3', CI: 'true', AI_AGENT: 'other', npm_config_update_notifier: 'true' });
    expect(environment).toMatchObject({ AI_AGENT: 'synapse', npm_config_update_notifier: 'false', PIP_DISABLE_PIP_VERSION_CHECK: '1' });
    expect(Object.keys(environment).filter((name) => /COLOR|^CI$/u.test(name))).toEqual([]);
  });

  it('tells programs that nobody watches, whatever the parent says, but lets the owner decide', () => {
    expect(childEnvironment({ TERM: 'xterm', PAGER: 'less', EDITOR: 'vim' })).toMatchObject({ TERM: 'dumb', PAGER: 'cat', EDITOR: 'true' });
    expect(childEnvironment({}, { TERM: 'xterm', MY_TOKEN: 'x' })).toMatchObject({ TERM: 'xterm', MY_TOKEN: 'x' });
  });
});
