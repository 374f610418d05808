# Enters the mounts of a process, as the user that owns them, and covers places as bubblewrap does (linux/mount.h,
# linux/nsfs.h): a file with a device that cannot be opened, a folder with an empty one, and what is read-only or only
# held with itself.
# usage: cover.pl SETNS MOUNT PID [KIND PATH]…    (numbers of system calls; mount_setattr has one number everywhere)

my ($setns, $mount, $pid, @orders) = @ARGV;
$_ += 0 for $setns, $mount;
my ($null, $none, $tmpfs, $closed) = ("/dev/null", "none", "tmpfs", "mode=0000,size=4096");
open(my $mounts, "<", "/proc/$pid/ns/mnt") or exit 1;
my $owner = ioctl($mounts, 0xb701, 0);
defined $owner or exit 1;
syscall($setns, $owner + 0, 0x10000000) == 0 && syscall($setns, fileno($mounts), 0x20000) == 0 or exit 1;
while (my ($kind, $path) = splice @orders, 0, 2) {
  my $from = $kind eq "masked-file" ? $null : "$path";
  my $made = $kind eq "masked-folder" ? syscall($mount, $tmpfs, $path, $tmpfs, 0x6, $closed) : syscall($mount, $from, $path, $none, 0x1000, $none);
  $made == 0 or exit 1;
  my $only = pack("Q4", 0x7, 0, 0, 0);
  $kind eq "writable" || syscall(442, -100, $path, 0, $only, 32) == 0 or exit 1;
}
