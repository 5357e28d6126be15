/**
 * Every operation of S3, in the order in which they are tried: the first row of the request's method and level whose
 * `when` holds is the operation. So specific rows come before general ones, and rows of operations that are not built
 * come before rows that would match their requests too. `table.test.ts` sends each row's own request and checks that
 * this row matches.
 */

import { bucketRows } from './bucket-rows.ts'
import { listBuckets } from '../buckets/list-buckets.ts'
import { objectRows } from './object-rows.ts'
import type { OperationRow } from '../contract/operation.ts'
import { permissionsOf } from '../contract/permissions.ts'
import { bucketSettingRows } from '../bucket-settings/index.ts'
import { unbuilt } from './unbuilt.ts'
import { unbuiltBucketRows } from './unbuilt-bucket-rows.ts'

/** Every operation of S3, in the order in which requests are matched. */
export const operations: readonly OperationRow[] = [
  {
    ...unbuilt('ListDirectoryBuckets', 'GET', 'service', { query: [['x-id', 'ListDirectoryBuckets']] }),
    params: ['max-directory-buckets'],
  },
  {
    name: 'ListBuckets',
    method: 'GET',
    level: 'service',
    when: {},
    permissions: permissionsOf('ListBuckets'),
    params: ['bucket-region', 'continuation-token', 'max-buckets', 'prefix'],
    handler: listBuckets,
  },
  ...unbuiltBucketRows,
  ...bucketSettingRows,
  ...bucketRows,
  ...objectRows,
]
