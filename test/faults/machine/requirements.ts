/** What a suite needs of the machine, and why it cannot run where that is not there. */
import { spawnSync } from 'node:child_process'

export interface Need {
  readonly reason: string
  /** Succeeds, and leaves nothing behind, where the need is met. */
  readonly probe: readonly string[]
}

const command = (name: string, shippedWith: string): Need => ({
  reason: `there is no ${name} (${shippedWith})`,
  probe: ['sh', '-c', `command -v ${name}`],
})

export const needs = {
  linux: { reason: 'this is not Linux', probe: ['test', '-d', '/proc/self/task'] },
  ownMounts: {
    reason: 'nobody may mount here: that takes root (CAP_SYS_ADMIN)',
    probe: ['unshare', '-m', 'sh', '-c', 'mount -t tmpfs none /mnt'],
  },
  loopDevices: { reason: 'there are no loop devices', probe: ['losetup', '-f'] },
  fuse: { reason: 'there is no FUSE', probe: ['test', '-w', '/dev/fuse'] },
  ext4: command('mkfs.ext4', 'e2fsprogs'),
  xfs: command('mkfs.xfs', 'xfsprogs'),
  shutdown: command('xfs_io', 'xfsprogs'),
  nbdkit: command('nbdkit', 'nbdkit'),
  nbdfuse: command('nbdfuse', 'libnbd-bin'),
  prlimit: command('prlimit', 'util-linux'),
  strace: command('strace', 'strace'),
  attach: {
    reason: 'strace may not attach to processes here (ptrace_scope)',
    probe: ['sh', '-c', 'sleep 0.5 & strace -o /dev/null -p $!'],
  },
} as const satisfies Record<string, Need>

export type NeedName = keyof typeof needs

/** The first need that is not met, in words; `undefined` when all are. */
export function whatIsMissing(names: readonly NeedName[]): string | undefined {
  const unmet = names.find((name) => {
    const [file = '', ...args] = needs[name].probe
    return spawnSync(file, args, { stdio: 'ignore' }).status !== 0
  })
  return unmet && needs[unmet].reason
}

/** Skipping is no option: the machine is meant to have everything. */
export const required = (): boolean => process.env['VARVE_FAULTS'] === 'required'
