# Does for Node what it has no API for: extended attributes of overlays, times to the nanosecond, sockets.
# usage: attributes.pl LLISTXATTR LREMOVEXATTR LGETXATTR UTIMENSAT LSETXATTR MKNODAT    (numbers of system calls)
#
# Reads orders with NUL-terminated fields:
#   start PATH        the folder that paths are relative to
#   all PATH          removes overlay marks from an entry and everything below it
#   below PATH        only from everything below it
#   folders PATH      only from folders
#   this PATH         from an open folder alone
#   times PATH A B C D  sets the times of a folder
#   opaque PATH       replies whether a folder hides the lower one: y, n, or ?
#   socket PATH       creates a socket without permissions; replies y on success
#   whiteout PATH     marks a name as deleted; replies y on success
#   mask PATH         makes a folder hide the lower one; replies y on success
#   acl FROM TO       gives a file the access list of another one of the folder, or none; replies y on success
#   end               replies `done`
# Descends with chdir, so that no path is too long, and follows no links. Marks of read-only entries, such as git's
# objects, can only be removed while their owner may write to them.

$/ = "\0"; $| = 1; my ($list, $remove, $get, $times, $set, $make) = map { $_ + 0 } @ARGV; my $start;
sub field { my $line = <STDIN>; defined $line or exit; chomp $line; $line }
sub clean {
  my ($path, $names) = ($_[0], "\0" x 4096);
  my $length = syscall($list, $path, $names, 4096);
  for my $name ($length > 0 ? split(/\0/, substr($names, 0, $length)) : ()) {
    my ($at, $mark) = ($path, $name);
    next if $mark !~ /^user\.overlay\./ || syscall($remove, $at, $mark) == 0;
    my $mode = (lstat $path)[2]; next if -l _;
    chmod(($mode & 07777) | 0200, $path) or next;
    syscall($remove, $at, $mark); chmod $mode & 07777, $path;
  }
}
sub walk {
  my ($path, $what) = @_; my ($mode, $links) = (lstat $path)[2, 3];
  my $in = !-l _ && -d _; clean($path) unless $what eq "below" || ($what eq "folders" && !$in);
  # Where folders count their links, a folder without others in it need not be read.
  return if !$in || $what eq "itself" || ($what eq "folders" && $links == 2);
  my $closed = ($mode & 0700) != 0700; if ($closed) { chmod(($mode & 07777) | 0700, $path) or return }
  if (opendir(my $folder, $path)) {
    local $/ = "\n";
    my @names = grep { $_ ne "." && $_ ne ".." } readdir $folder; closedir $folder;
    if (@names && chdir $path) { walk($_, $what eq "folders" ? $what : "all") for @names; chdir ".." or exit 1 }
  }
  chmod $mode & 07777, $path if $closed;
}
sub opaque {
  my ($path, $mark, $value) = ($_[0], "user.overlay.opaque", "\0" x 8);
  my $length = syscall($get, $path, $mark, $value, 8);
  return $length == 1 && substr($value, 0, 1) eq "y" ? "y" : $length >= 0 || $! == 61 ? "n" : "?";
}
sub mask {
  my ($path, $mark, $value) = ($_[0], "user.overlay.opaque", "y");
  return syscall($set, $path, $mark, $value, 1, 0) == 0 ? "y" : "?";
}
# ENODATA and EOPNOTSUPP: a file without a list. The one in its place may have got one from its folder. Its mode stays, but where the list is
# not known: then only its owner can open it.
sub acl {
  my ($from, $to, $name, $value) = (@_, "system.posix_acl_access", "\0" x 65536); my $mode = (lstat $to)[2]; -f _ or return "?";
  my $length = syscall($get, $from, $name, $value, 65536);
  my $done = $length >= 0 ? syscall($set, $to, $name, $value, $length, 0) == 0 : ($! == 61 || $! == 95)
    && (syscall($remove, $to, $name) == 0 || $! == 61 || $! == 95);
  chmod $mode & ($done ? 07777 : 0700), $to; return $done ? "y" : "?";
}
while (1) {
  my $order = field();
  if ($order eq "end") { chdir "/"; $start = undef; print "done\n" }
  elsif ($order eq "start") { my $path = field(); chdir $path && opendir($start, ".") or exit 1 }
  elsif ($order eq "this") { clean(field()) }
  elsif ($order eq "acl") { my $from = field(); print acl($from, field()), "\n" }
  elsif ($order eq "times") {
    my $path = field(); my $spec = pack("q4", field(), field(), field(), field());
    syscall($times, -100, $path, $spec, 0);
  } else {
    my @parts = split(m{/}, field()); my $last = pop @parts;
    my $in = 1; for (@parts) { $in &&= !-l $_ && chdir $_ }
    if ($order eq "opaque") { print(($in ? opaque($last) : "?") . "\n") }
    elsif ($order eq "mask") { print(($in ? mask($last) : "?") . "\n") }
    elsif ($order eq "socket") { print(($in && syscall($make, -100, $last, 0140000, 0) == 0 ? "y" : "?") . "\n") }
    elsif ($order eq "whiteout") { print(($in && syscall($make, -100, $last, 020000, 0) == 0 ? "y" : "?") . "\n") }
    elsif ($in) { walk($last, $order) }
    chdir $start or exit 1;
  }
}
