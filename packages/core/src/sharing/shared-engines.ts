/** One of several engines on a journal: its membership, its leases, its marks, and the protection of its reads. */
import type { Seq } from '../ports/index.ts'
import { commonSecret } from './common-secret.ts'
import { DurableMarks } from './durable-marks.ts'
import { type LeasePorts, Leases } from './leases.ts'
import { Membership } from './membership.ts'
import type { Sharing } from './sharing.ts'

/** The job that erases bytes. */
const erasure = 'erasure'
/** Milliseconds between two looks at an erasure that a read waits for. */
const waitMs = 50

/** `floor`: the position before which no read of this engine in progress began. */
export async function sharedEngine(ports: LeasePorts, floor: () => Seq): Promise<Sharing> {
  const membership = await Membership.join(ports, floor, () => {
    leases.forgetAll()
    marks.loseAll()
  })
  const leases = new Leases(ports, membership)
  const marks = new DurableMarks(ports, membership)

  const beat = () => marks.removeReleased((rows) => membership.beat(rows))

  /** The lower of the floors of all engines, and of `upTo`. */
  async function lowestFloor(upTo: Seq): Promise<Seq> {
    const others = await membership.others()
    return others.reduce((lowest, { floor: other }) => Math.min(lowest, other), upTo)
  }

  /** A read below the published floor publishes a lower one first, and then waits for a sweep that may need its bytes. */
  async function protectRead(at: Seq | undefined): Promise<void> {
    if (membership.isDoubtful) await beat()
    if (at === undefined || membership.publishedFloor <= at) return
    await beat()
    for (;;) {
      const erasing = await leases.erasing(erasure)
      if (erasing === undefined || erasing <= at) return
      await (ports.timer?.pause(waitMs) ?? Promise.resolve())
    }
  }

  return {
    isShared: true,
    marks,
    secret: { read: () => commonSecret(ports) },
    fence: (job) => (job === undefined ? [membership.fence] : [membership.fence, leases.row(job)]),
    alone: (job, work, signal) => leases.alone(job, work, signal),
    protect: (at) =>
      membership.isDoubtful || (at !== undefined && membership.publishedFloor > at) ? protectRead(at) : undefined,
    async erasing(upTo, work) {
      const horizon = await lowestFloor(upTo)
      await leases.state(erasure, horizon)
      try {
        // A read that lowered its floor before it could see the horizon is seen here.
        return await work(await lowestFloor(horizon))
      } finally {
        // A lease that is lost here ends the statement too.
        await leases.state(erasure, undefined).catch(() => undefined)
      }
    },
    async checkRights() {
      const rejoined = await membership.rejoin()
      return (await leases.check()) || rejoined
    },
    beat,
    renew: () => membership.renew(),
    status: async () => ({ members: (await membership.working()).size, leases: leases.held }),
    clearStaleMarks: () => marks.clearStale(),
    leave: () => marks.removeReleased((rows) => membership.leave(rows)),
  }
}
