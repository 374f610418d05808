# The same as copy.sh in one program instead of four: creates user and mount namespaces, makes mounts private, and
# mounts the copy.
# usage: copy.pl UNSHARE MOUNT AREA COMMAND…    (numbers of system calls)

my ($unshare, $mount, $area) = splice @ARGV, 0, 3;
my ($uid, $gid) = ($<, $( + 0);
my $options = "userxattr,volatile";
sub put { my $file; open($file, ">", "/proc/self/$_[0]") && defined syswrite($file, $_[1]) && close $file }
sub mount { my ($from, $to, $kind, $flags, $options) = @_; syscall($mount, $from, $to, $kind, $flags, $options) == 0 }
sub prepare {
  opendir(my $here, ".") && chdir $area or return;
  # CLONE_NEWUSER and CLONE_NEWNS, then MS_PRIVATE with MS_REC.
  syscall($unshare + 0, 0x10020000) == 0 && put("setgroups", "deny") && put("uid_map", "0 $uid 1") && put("gid_map", "0 $gid 1") or return;
  mount("none", "/", "none", 0x44000, "") or return;
  my $lower = join ":", (-d "hidden" ? "hidden" : ()), (grep { -d "$_/." } "outputs", "pinned"), "lower";
  mount("overlay", "merged", "overlay", 0, "lowerdir=$lower,upperdir=upper,workdir=work,$options") or return;
  !-d "upper-git" || mount("overlay", "merged-git", "overlay", 0, "lowerdir=lower-git,upperdir=upper-git,workdir=work-git,$options") or return;
  chdir $here;
}
$mount += 0;
delete $ENV{PERL_BADLANG};
if (prepare()) { exec { $ARGV[0] } @ARGV }
open(my $failed, ">", "$area/failed");
exit 1;
