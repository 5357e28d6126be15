/**
 * Which page of `docs` serves which need (https://diataxis.fr): a tutorial teaches by doing, a guide solves one task, a reference
 * lists facts, an explanation gives reasons. Each page stands in exactly one section; a page without one fails the build.
 */
export interface Section {
  readonly title: string
  /** File names in `docs`, without the extension. */
  readonly pages: readonly string[]
}

export const sections: readonly Section[] = [
  { title: 'Tutorial', pages: ['tutorial'] },
  {
    title: 'Guides: embed',
    pages: [
      'embedding',
      'objects',
      'transactions',
      'following',
      'keyspaces',
      'attaching',
      'encryption',
      'bundling',
      'postgres',
      's3-blobs',
      'archives',
    ],
  },
  {
    title: 'Guides: go back in time',
    pages: ['looking-back', 'restoring', 'undoing', 'snapshots', 'forks', 'retention', 'erasing', 'proofs'],
  },
  {
    title: 'Guides: serve S3',
    pages: [
      'serving',
      'replicas',
      'nodes',
      'console',
      'configuration',
      'access',
      'identities',
      'quotas',
      'clients',
      'browsers',
      'lifecycle',
      'notifications',
      'control',
      'logs',
      'observing',
      'mcp',
      'tigris',
    ],
  },
  {
    title: 'Guides: test',
    pages: [
      'testing',
      'testing-from-s3rver',
      'testing-from-minio',
      'testing-from-localstack',
      'testing-from-miniflare',
    ],
  },
  {
    title: 'Runbooks',
    pages: [
      'runbooks/does-not-start',
      'runbooks/full-disk',
      'runbooks/damaged-blob',
      'runbooks/database-older-than-blobs',
      'runbooks/lost-key',
      'runbooks/leaked-credential',
      'runbooks/clock-jumped',
      'runbooks/moved-machine',
      'runbooks/upgrade',
      'runbooks/primary-failed-over',
      'runbooks/two-primaries',
      'runbooks/adding-and-removing-nodes',
    ],
  },
  { title: 'Reference', pages: ['cli', 's3', 'permissions', 'errors', 'format', 'facts', 'glossary'] },
  { title: 'Explanation', pages: ['durability', 'performance', 'bench', 'scale'] },
]
