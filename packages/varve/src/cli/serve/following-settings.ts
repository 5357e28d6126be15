/** Which options of a server go with `--follow`. */
import { followSchedule } from '../../replicas/follow-settings.ts'
import { UsageError } from '../support/exit-codes.ts'
import type { ServerSettings } from './server-settings.ts'

/** @throws UsageError; StorageError `InvalidArgument` for an address that names nothing */
export function checkFollowing({ follow, journal, workers = 1 }: Partial<ServerSettings>): void {
  if (follow === undefined) return
  followSchedule(follow)
  if (journal !== undefined) throw new UsageError('--follow is for stores in directories, not for those of --journal.')
  if (workers > 1) throw new UsageError('--follow is for servers without --workers.')
}
