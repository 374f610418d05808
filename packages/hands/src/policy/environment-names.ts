/**
 * Variables that may be set before a command and change nothing but its looks, its language or its zeal.
 * An allow-list: PATH, LD_PRELOAD, GIT_*, NODE_OPTIONS, PYTHONPATH, IFS, *_proxy and whatever comes next
 * make another program run, or this one run something else.
 */
const HARMLESS =
  /^(?:CI|TZ|LANG|LANGUAGE|LC_[A-Z]+|TERM|COLUMNS|LINES|NO_COLOR|FORCE_COLOR|CLICOLOR(?:_FORCE)?|COLORTERM|NODE_ENV|RAILS_ENV|RACK_ENV|APP_ENV|FLASK_ENV|MIX_ENV|DEBUG|VERBOSE|LOG_LEVEL|RUST_LOG|RUST_BACKTRACE|CARGO_TERM_COLOR|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|PYTHONHASHSEED|DEBIAN_FRONTEND|NPM_CONFIG_(?:COLOR|LOGLEVEL|FUND|AUDIT)|npm_config_(?:color|loglevel|fund|audit)|SOURCE_DATE_EPOCH|UPDATE_SNAPSHOTS?|PORT)$/u;

/** Why setting a variable makes a command another one, if it may. */
export function assignmentReason(name: string): string | undefined {
  return HARMLESS.test(name) ? undefined : `setting ${name.slice(0, 60)} can change what runs`;
}
