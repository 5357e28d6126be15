/** Workloads that only a store can run: its listings, its log, opening and closing. */
import type { SpecialName, SpecialWorkload, Workload } from './workload.ts'

const special = (
  row: Omit<SpecialWorkload, 'kind' | 'name' | 'inFlight'> & { readonly special: SpecialName },
): SpecialWorkload => ({ kind: 'special', name: row.special, inFlight: 1, ...row })

export const storeOnly: readonly Workload[] = [
  special({
    special: 'list-delimiter',
    title: 'list by delimiter, 10 prefixes',
    unit: 'operations',
    items: 20_000,
    operations: 200,
    floors: ['raw-seeks'],
  }),
  special({
    special: 'list-versions',
    title: 'list versions, pages of 1000',
    unit: 'entries',
    items: 20_000,
    operations: 60,
    floors: ['raw-scan'],
  }),
  special({
    special: 'delete-sweep',
    title: 'delete 40 KiB and erase its bytes',
    unit: 'operations',
    items: 500,
    operations: 1,
    floors: ['files-removed'],
  }),
  special({
    special: 'replay',
    title: 'replay the log into memory',
    unit: 'events',
    items: 20_000,
    operations: 1,
    floors: ['raw-scan-all'],
  }),
  special({
    special: 'rebuild',
    title: 'rebuild the views',
    unit: 'events',
    items: 20_000,
    operations: 1,
    floors: ['raw-scan-all'],
  }),
  special({
    special: 'reopen',
    title: 'open after a clean close',
    unit: 'operations',
    items: 20_000,
    operations: 3,
    lasting: true,
    floors: ['raw-open'],
  }),
  special({
    special: 'complete-upload',
    title: 'complete an upload of 5 parts',
    unit: 'operations',
    items: 5,
    operations: 4,
    floors: ['put-64'],
  }),
  special({
    special: 'complete-upload-10000',
    title: 'complete an upload of 10,000 parts',
    unit: 'operations',
    items: 10_000,
    operations: 1,
    floors: ['put-64'],
  }),
]
