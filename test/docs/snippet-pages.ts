/** The pages whose TypeScript blocks are one program, in the order of the page, and what running it must print. */

export interface Page {
  readonly page: string
  readonly prints: readonly string[]
  /** What it prints when it runs again in the same directory. */
  readonly printsAgain?: readonly string[]
}

/** Pages with code, and what running it must print. */
export const pages: readonly Page[] = [
  {
    page: 'README.md',
    prints: ['a small cat', '6 DeleteMarkerAdded local'],
    printsAgain: ['a small cat', 'DeleteMarkerAdded local'],
  },
  {
    page: 'docs/tutorial.md',
    prints: [
      'milk, bread\nmilk\ntoday: false\n',
      'DeleteMarkerAdded by Tidy agent\nremoved today/ideas\nremoved today/shopping\nadded tomorrow/call\n',
      'would bring back 2 notes\nmilk, bread\ncall Ada\n',
    ],
    printsAgain: ['milk, bread\nmilk\ntoday: false\n', 'would bring back 2 notes\nmilk, bread\ncall Ada\n'],
  },
  {
    page: 'docs/embedding.md',
    prints: ['papers Enabled', 'text/plain Ada', 'text\n', '2 false\ntrue\n', 'notes/', 'seen at once'],
  },
  { page: 'docs/objects.md', prints: ['closed', 'true\n', '1 [ { partNumber: 1, size: 8 } ]'] },
  { page: 'docs/serving.md', prints: ['http://127.0.0.1:'] },
  { page: 'docs/encryption.md', prints: ['with a key of mine', 'AES256'] },
  { page: 'docs/lifecycle.md', prints: ['a month of logs'] },
  { page: 'docs/keyspaces.md', prints: ['5 ready', 'letters: 1\nnotes: 2', 'true etag'] },
  {
    page: 'docs/following.md',
    prints: [
      '3 VersionAdded\n5 VersionRemoved',
      'index 2026/cat.png\nindex 2026/dog.txt',
      'ann/DAY 18',
      "[ '2026/dog.txt' ]",
      'a word with c: cat',
      'make bird.png\n',
      'left: undefined',
    ],
  },
  {
    page: 'docs/retention.md',
    prints: ['30 { percent: 10 } store', '1 RetentionSet local\n2 RetentionSet local', 'bucket\n', '0 0 true'],
    printsAgain: ['90 { bytes: 50000000000 } store'],
  },
  {
    page: 'docs/restoring.md',
    prints: ['changed letters/ann\nremoved letters/bob', 'add letters/ann, add letters/bob', '2 Dear Ann\n'],
  },
  { page: 'docs/undoing.md', prints: ['plan 1 1\nnotes 0 1\nthe plan\nnonsense'] },
  { page: 'docs/transactions.md', prints: ['20\nnot enough'] },
  {
    page: 'docs/attaching.md',
    prints: ['water the plants\n', '3 VersionAdded local\n4 VersionAdded local', 'water the plants, read the post\n'],
  },
  { page: 'docs/erasing.md', prints: ["1 [ 'live' ]", '1 0', 'site config.json true'] },
  {
    page: 'docs/testing.md',
    prints: ['a small cat\n0\n5\nundefined a hidden cat\n2026-01-02T00:00:00.000Z\n3 2\n'],
  },
  { page: 'docs/snapshots.md', prints: ['before\n'] },
  { page: 'docs/forks.md', prints: ['experiment\noriginal\n', '1 0\nbetter\n'] },
  { page: 'docs/observing.md', prints: ['3 events 1 request true {}', 'true\n'] },
  { page: 'docs/notifications.md', prints: ['4 ObjectCreated:Put cat.png'] },
  { page: 'docs/identities.md', prints: ['AK'] },
  { page: 'docs/logs.md', prints: ['1\n'] },
  { page: 'docs/proofs.md', prints: [' VersionAdded SHA256\n'] },
  { page: 'docs/quotas.md', prints: ['bytes: 100000000'] },
  { page: 'packages/varve/README.md', prints: ['a small cat\n'], printsAgain: ['a small cat\n'] },
]

/** Pages whose blocks are compiled and not run: `excused.ts` has the reasons. */
const onlyCompiled = ['docs/archives.md', 'docs/postgres.md', 'docs/replicas.md', 'docs/s3-blobs.md']

export const compiledPages: readonly string[] = [...pages.map(({ page }) => page), ...onlyCompiled]
