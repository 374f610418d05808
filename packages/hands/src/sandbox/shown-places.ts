/** A path of the machine that commands can see, and why. */
export interface ShownPlace {
  readonly path: string;
  readonly reason: string;
}

const rows = (places: Readonly<Record<string, string>>): ShownPlace[] => Object.entries(places).map(([path, reason]) => ({ path, reason }));

/** System folders with programs and their files. Every user of the machine can read them. */
export const SYSTEM_PLACES: readonly ShownPlace[] = rows({
  '/usr': 'programs, libraries, headers, data',
  '/bin': 'programs; a link to /usr on most systems',
  '/sbin': 'programs',
  '/lib': 'libraries, the loader',
  '/lib32': 'libraries',
  '/lib64': 'the loader',
  '/libx32': 'libraries',
  '/opt': 'programs of vendors',
  '/nix/store': 'programs of Nix',
  '/nix/var/nix/profiles': 'what links of Nix lead through',
  '/gnu/store': 'programs of Guix',
  '/snap': 'programs of snap',
  '/home/linuxbrew/.linuxbrew': 'programs of Homebrew',
  '/run/current-system': 'programs of NixOS',
  '/run/wrappers': 'programs of NixOS',
  '/var/lib/ca-certificates': 'certificates on openSUSE',
  '/var/lib/texmf': 'formats of TeX',
  '/var/lib/ghc': 'packages of Haskell on Debian',
  '/var/lib/gems': 'packages of Ruby on Debian',
  '/var/cache/fontconfig': 'the list of fonts',
  '/sys/devices/system': 'how many processors there are',
});

/**
 * The parts of `/etc` that commands can see. Everything else is hidden: passwords, keys and settings of services, and the
 * configuration of package managers and git, which may contain credentials. Each entry is a mount, which takes time, so files that
 * programs can do without are not listed either. `*` stands for any characters.
 */
export const ETC_PLACES: readonly ShownPlace[] = rows({
  'ld.so.cache': 'the loader finds libraries',
  'ld-musl-*': 'the loader of musl',
  alternatives: 'links in /usr/bin lead through it on Debian and Fedora',
  static: 'links in /etc lead through it on NixOS',
  'profiles/per-user': 'programs of a user of NixOS',
  'ssl/certs': 'certificates that programs trust; private keys are beside them and stay out',
  'ssl/cert.pem': 'certificates that programs trust',
  'ssl/openssl.cnf': 'settings of OpenSSL, which some builds fail without',
  'pki/tls/certs': 'certificates on Fedora; private keys are beside them and stay out',
  'pki/tls/cert.pem': 'certificates on Fedora',
  'pki/tls/openssl.cnf': 'settings of OpenSSL on Fedora',
  'pki/ca-trust': 'certificates on Fedora',
  'pki/java': 'certificates for Java on Fedora',
  'crypto-policies': 'OpenSSL and GnuTLS read it on Fedora',
  passwd: 'names of users: git, ssh and Python ask for the own one; every user may read it, and it holds no passwords',
  group: 'names of groups',
  'nsswitch.conf': 'where names are looked up',
  hosts: 'the name localhost',
  protocols: 'names of protocols',
  services: 'names of ports',
  localtime: 'the time zone',
  'mime.types': 'types of files by their ends',
  fonts: 'fonts, for programs that render pages',
  debian_version: 'the system, which CMake asks for on Debian',
  '*-release': 'the system, which programs ask for on others',
  'java*': 'settings that a JDK reads at its start',
  php: 'settings of the interpreter',
  R: 'settings of the interpreter',
  'dotnet/install_location*': 'where .NET is',
  maven: 'mvn of Debian starts with it; the settings of a person are in the home folder',
  texmf: 'settings of TeX',
  'ImageMagick-*': 'limits and formats',
  'postgresql-common': 'psql and pg_ctl of Debian choose their version by it',
});

/** Only needed to resolve names, so only shown if there is a network. */
export const NETWORK_PLACES: readonly ShownPlace[] = rows({ '/etc/resolv.conf': 'which servers resolve names' });

/** Variables with the path of a tool chain or certificate file. Processes receive them for this purpose. */
export const PLACE_VARIABLES: readonly string[] = [
  'JAVA_HOME',
  'GOROOT',
  'RUSTUP_HOME',
  'NVM_DIR',
  'PYENV_ROOT',
  'VIRTUAL_ENV',
  'CONDA_PREFIX',
  'DOTNET_ROOT',
  'ANDROID_HOME',
  'SDKROOT',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'NODE_EXTRA_CA_CERTS',
  'REQUESTS_CA_BUNDLE',
  'CURL_CA_BUNDLE',
];

/**
 * Hidden even in a folder that a person shows with `--readable`: if Synapse runs as root, file permissions
 * protect nothing.
 */
export const SYSTEM_SECRETS: readonly string[] = [
  '/etc/shadow',
  '/etc/shadow-',
  '/etc/gshadow',
  '/etc/gshadow-',
  '/etc/sudoers',
  '/etc/sudoers.d',
  '/etc/krb5.keytab',
  '/etc/ssh',
  '/etc/ssl/private',
  '/etc/pki/tls/private',
  '/etc/NetworkManager/system-connections',
  '/etc/wireguard',
  '/var/backups',
  '/var/log',
  '/var/mail',
  '/var/spool',
  '/var/lib/docker',
  '/var/lib/containerd',
  '/var/lib/kubelet',
];
