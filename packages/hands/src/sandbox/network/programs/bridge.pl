# Forwards a port on the loopback of a sandbox to the proxy behind a Unix socket, runs the command, and ends with it. It holds no
# secrets: a command that kills it only loses its network.
# usage: bridge.pl SOCKET PORT SHARED VARIABLES COMMAND…    (SHARED: 1 or empty. VARIABLES: those to add for the command, a line for each)
#
# The commands of a session can share a loopback: if another bridge uses the port, this one takes any free port, and the variables that name the
# port name that one. Then only programs of its own command are connected: the proxy has the hosts and the secrets of that one.

my ($path, $port, $shared, $added, @command) = @ARGV;
my ($reads, $writes) = ("", "");
# By descriptor: its handle, the descriptor of the other side, what is to be written to it, whether nothing more will be, and whether it is a
# connection of the command.
my (%handle, %other, %pending, %last, %client);
# As many connections as the proxy takes, and bytes that are read at once.
my ($most, $room) = (256, 256 * 1024);
sub fail { print STDERR "synapse-bridge: $_[0]: $!\n"; exit 1 }
# F_SETFL with O_NONBLOCK. PERL_UNICODE, which is for programs of the command, would make text of what they send.
sub unblock { binmode($_[0]) && fcntl($_[0], 4, 2048) or fail("socket") }
# struct sockaddr_in
sub loopback { pack("S n a4 x8", 2, $_[0], "\x7f\0\0\1") }
sub listener {
  socket(my $made, 2, 1, 0) or fail("socket");
  # SO_REUSEADDR: connections of an earlier bridge may still end.
  setsockopt($made, 1, 2, pack("i", 1));
  unblock($made);
  bind($made, loopback($_[0])) && listen($made, 511) ? $made : undef;
}
my $listener = listener($port) || listener(0) || fail("listen");
my $number = fileno $listener;
my $own = (unpack("S n", getsockname $listener))[1];
if ($own != $port) {
  for (values %ENV) {
    if ($_ eq "http://127.0.0.1:$port") { $_ = "http://127.0.0.1:$own" }
    else { s/\.proxyPort=$port(?!\d)/.proxyPort=$own/g }
  }
}
for (split /\n/, $added) { my ($name, $value) = split /=/, $_, 2; $ENV{$name} = $value }
delete $ENV{PERL_BADLANG} if $ENV{PERL_BADLANG} eq "";
my $pid = fork;
defined $pid or fail("fork");
if ($pid == 0) { exec { $command[0] } @command; exit 127 }

# A side that is gone is an error of the write.
$SIG{PIPE} = "IGNORE";
# pidfd_open: readable when the command has ended. A kernel without it is asked again and again.
my $end = syscall(434, $pid, 0);
vec($reads, $number, 1) = 1;
vec($reads, $end, 1) = 1 if $end >= 0;
for (;;) {
  my ($readable, $writable) = ($reads, $writes);
  my $ready = select($readable, $writable, undef, $end >= 0 ? undef : 0.05);
  # WNOHANG
  last if ($end < 0 || ($ready > 0 && vec($readable, $end, 1))) && waitpid($pid, 1) == $pid;
  carry($readable, $writable) if $ready > 0;
}
my ($code, $signal) = ($? >> 8, $? & 127);
# What the command sent last, such as why it refuses a certificate, still reaches the proxy. Its connections end with it, on a busy machine some
# milliseconds later; those of programs that it left running are not waited for longer.
vec($reads, $end, 1) = 0 if $end >= 0;
for (my ($idle, $turns) = (0, 0); $idle < 20 && $turns < 1000 && ($turns == 0 || grep { speaks($_) } keys %client); $turns++) {
  my ($readable, $writable) = ($reads, $writes);
  if (select($readable, $writable, undef, %handle ? 0.001 : 0) > 0) { carry($readable, $writable) } else { $idle++ }
}
if ($signal) { $SIG{PIPE} = "DEFAULT"; kill $signal, $$ }
exit($signal ? 128 + $signal : $code);

sub carry {
  my ($readable, $writable) = @_;
  for my $at (keys %handle) {
    flush($at) if $handle{$at} && vec($writable, $at, 1);
    forward($at) if $handle{$at} && vec($readable, $at, 1);
  }
  begin() if vec($readable, $number, 1);
}

# Whether something of the command may still come, or was not written yet.
sub speaks { my $to = $other{$_[0]}; !$last{$to} || $pending{$to} ne "" }

sub begin {
  my ($client, $proxy);
  if (!accept($client, $listener)) {
    # ENFILE, EMFILE: until a connection ends.
    vec($reads, $number, 1) = 0 if %handle && ($! == 23 || $! == 24);
    return;
  }
  return if $shared && !is_own($client);
  # struct sockaddr_un
  socket($proxy, 1, 1, 0) && connect($proxy, pack("S a108", 1, $path)) or return;
  my @both = (fileno $client, fileno $proxy);
  for my $socket ($client, $proxy) {
    unblock($socket);
    my $at = fileno $socket;
    ($handle{$at}, $pending{$at}, $last{$at}) = ($socket, "", 0);
    vec($reads, $at, 1) = 1;
  }
  @other{@both} = reverse @both;
  $client{$both[0]} = 1;
  vec($reads, $number, 1) = 0 if keys %handle >= 2 * $most;
}

# Whether a program of the command has the other side of a connection: /proc shows no others.
sub is_own {
  my ($there, $address) = unpack("x2 n a4", getpeername($_[0]) || return 0);
  my @ends = map { sprintf "%08X:%04X", unpack("L", $_->[0]), $_->[1] } [$address, $there], ["\x7f\0\0\1", $own];
  my $inode = 0;
  for my $kind (["tcp", ""], ["tcp6", "0000000000000000FFFF0000"]) {
    open(my $table, "<", "/proc/net/$kind->[0]") or next;
    while (<$table>) {
      my @field = split;
      $inode = $field[9] if $field[1] eq "$kind->[1]$ends[0]" && $field[2] eq "$kind->[1]$ends[1]";
    }
  }
  # 0: it was closed.
  return 0 if !$inode;
  for my $process (grep { /^\d+$/ } names("/proc")) {
    for my $at (names("/proc/$process/fd")) { return 1 if (readlink("/proc/$process/fd/$at") // "") eq "socket:[$inode]" }
  }
  0;
}

sub names { opendir(my $folder, $_[0]) or return; readdir $folder }

# Reads from one side and writes to the other. As long as that does not take all, nothing more is read.
sub forward {
  my ($at) = @_;
  my $to = $other{$at};
  my $got = sysread($handle{$at}, $pending{$to}, $room);
  # EINTR, EAGAIN
  if (!defined $got) { finish($at) unless $! == 4 || $! == 11; return }
  vec($reads, $at, 1) = 0;
  $last{$to} = 1 if $got == 0;
  flush($to);
}

sub flush {
  my ($to) = @_;
  my $from = $other{$to};
  if ($pending{$to} ne "") {
    my $written = syswrite($handle{$to}, $pending{$to});
    if (!defined $written) {
      return finish($to) unless $! == 4 || $! == 11;
      $written = 0;
    }
    if ($written < length $pending{$to}) {
      substr($pending{$to}, 0, $written, "");
      vec($writes, $to, 1) = 1;
      return;
    }
    $pending{$to} = "";
  }
  vec($writes, $to, 1) = 0;
  if (!$last{$to}) { vec($reads, $from, 1) = 1; return }
  # SHUT_WR
  shutdown($handle{$to}, 1);
  finish($to) if $last{$from} && $pending{$from} eq "";
}

sub finish {
  my @both = ($_[0], $other{$_[0]});
  for my $at (@both) {
    vec($reads, $at, 1) = 0;
    vec($writes, $at, 1) = 0;
    close $handle{$at};
  }
  for my $table (\%handle, \%other, \%pending, \%last, \%client) { delete @$table{@both} }
  vec($reads, $number, 1) = 1;
}
