/** The differential table: every fact of S3 this tree is held to, in chapters. docs/facts.md is made from it. */
import { access, traps } from './access.ts'
import { checksums } from './checksums.ts'
import { dialects } from './dialects.ts'
import type { Chapter } from './fact.ts'
import { portable } from './go-cloud.ts'
import { listings, versionListing } from './listings.ts'
import { conditions, deletes, keys, ranges } from './requests.ts'
import { multipart } from './uploads.ts'
import { markers, versioning } from './versions.ts'

export const chapters: readonly Chapter[] = [
  dialects,
  versioning,
  markers,
  versionListing,
  listings,
  multipart,
  checksums,
  conditions,
  ranges,
  deletes,
  keys,
  portable,
  access,
  traps,
]
