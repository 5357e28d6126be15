/** A socket that the starter of this process listens on, as systemd passes it: see sd_listen_fds(3). */
import { UsageError } from '../support/exit-codes.ts'

/** The first descriptor that is passed. */
const firstDescriptor = 3

/** `undefined` if none is passed. The variables are removed, so that no child takes the socket for its own. @throws UsageError for several */
export function passedSocket(env: NodeJS.ProcessEnv): number | undefined {
  const { LISTEN_PID: pid, LISTEN_FDS: count = '0' } = env
  if (pid !== String(process.pid)) return undefined
  for (const name of ['LISTEN_PID', 'LISTEN_FDS', 'LISTEN_FDNAMES']) delete env[name]
  if (count === '0') return undefined
  if (count !== '1')
    throw new UsageError(`This process was passed ${count} sockets, and serves one.`, {
      hint: 'Give the unit one ListenStream: see `docs/serving.md`.',
    })
  return firstDescriptor
}
