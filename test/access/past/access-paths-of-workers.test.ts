/** The access paths of a server with workers, which ask the owner of the store. */
import { startWorkers } from '../../acceptance/support/workers.ts'
import { testServiceOf } from '../../acceptance/support/test-service.ts'
import { policies, principals } from './principals.ts'
import { tryAccessPaths } from './try-access-paths.ts'

/** One of each kind: the decisions are made by the same code. */
const kinds = [
  'nobody',
  'bob',
  'ann',
  'root',
  'star',
  'only-readhistory',
  'only-restore',
  'without-s3',
  'denied-others',
]

tryAccessPaths(
  principals.filter(({ as, bucket }) => kinds.includes(as) && bucket !== 'shared'),
  async () => testServiceOf(await startWorkers(2, { policies })),
)
