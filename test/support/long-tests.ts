/**
 * The files of the long tier, which `npm run test:rest` runs: those that start many processes, browsers or databases, that explore, measure or
 * wait, or that need the tools of `tools/package.json`. All others are in the fast tier, which is `npm test`.
 *
 * The patterns that come first are started first, so that no processor waits at the end for one file that began last.
 */
export const longTests: readonly string[] = [
  'test/simulation/**/*.test.ts',
  'test/package/*.test.ts',
  'test/replicas/*.test.ts',
  'test/nodes/*.test.ts',
  'test/cli/*.test.ts',
  'test/acceptance/clients/{aws-multipart,minio}.test.ts',
  'test/console/*.test.ts',
  'test/model/{*istories,interleavings}.test.ts',
  'test/access/past/*.test.ts',
  'test/corruption/*.test.ts',
  'test/s3-blobs/*.test.ts',
  'test/examples/*.test.ts',
  'test/deploy/*.test.ts',
  'test/docs/{snippets,*commands,clone,test-kit}.test.ts',
  'packages/adapters/src/postgres-journal/*.test.ts',
  'packages/adapters/src/sqlite-journal/lost-transactions.test.ts',
  'packages/adapters/src/store-directory/lock/held-directory.test.ts',
  'packages/adapters/src/faults/killed-keyspaces.test.ts',
  'packages/varve/src/store/open-read-only.test.ts',
  'packages/varve/src/replicas/filling.test.ts',
  'packages/varve/src/cli/object-commands.test.ts',
  'bench/{past/main,scale/observer,src/plan/smoke}.test.ts',
]

/** As `longTests`, but each file in a process of its own. */
export const longTestsAlone: readonly string[] = [
  'test/faults/*.test.ts',
  'test/acceptance/workers.test.ts',
  'test/attacks/*.test.ts',
  'test/bounds/*.test.ts',
  'test/soak/*.test.ts',
  'test/hostile/slow/*.test.ts',
]
