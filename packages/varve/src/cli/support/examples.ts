/** Examples of every command, which its help shows. A test parses each of them. */

type Examples = readonly [example: string, ...more: string[]]

/** By the name of the command, with that of the command that it is part of. */
export const examples: Readonly<Record<string, Examples>> = {
  serve: ['varve serve ./data', 'varve serve ./data --port 9000 --dialect aws --metrics'],
  'config check': ['varve config check varve.toml'],
  'config show': ['varve config show --config varve.toml'],
  mcp: [
    'varve mcp ./data --bucket notes --fork',
    'varve mcp ./data --prefix agents/a --max-operations 500',
    'varve mcp ./data --http',
  ],
  log: ['varve log --since 2h', 'varve log --bucket photos --type VersionRemoved --json', 'varve log --follow'],
  history: ['varve history s3://photos/cat.jpg'],
  diff: ['varve diff s3://photos --from "2h ago"', 'varve diff s3://photos/2026/ --from before-import --to now'],
  restore: [
    'varve restore s3://photos/2026/ --to "yesterday 18:00" --dry-run',
    'varve restore s3://photos --to -3d --yes',
  ],
  undo: ['varve undo --by mcp:agent:1f0c2d9a', 'varve undo s3://photos --since 10m --dry-run'],
  erase: ['varve erase s3://photos/secret.txt --all-versions --dry-run'],
  ls: ['varve ls', 'varve ls s3://photos/2026/ --recursive', 'varve ls s3://photos --at -3d'],
  cat: ['varve cat s3://photos/notes.txt', 'varve cat s3://photos/notes.txt --at "10m ago"'],
  stat: ['varve stat s3://photos', 'varve stat s3://photos/cat.jpg --json'],
  mb: ['varve mb s3://photos --versioning'],
  rb: ['varve rb s3://photos'],
  fork: ['varve fork s3://photos s3://photos-try', 'varve fork s3://photos s3://photos-then --at yesterday'],
  merge: ['varve merge s3://photos-try --dry-run'],
  drop: ['varve drop s3://photos-try'],
  put: ['varve put cat.jpg s3://photos/cat.jpg', 'varve put - s3://photos/notes.txt --content-type text/plain'],
  get: ['varve get s3://photos/cat.jpg cat.jpg', 'varve get s3://photos/cat.jpg - --at 42'],
  cp: ['varve cp s3://photos/cat.jpg s3://backup/', 'varve cp s3://photos/cat.jpg s3://photos/cat.jpg --at 2h'],
  rm: ['varve rm s3://photos/cat.jpg', 'varve rm --recursive s3://photos/2026/'],
  'backups show': ['varve backups s3://backups/shop', 'varve backups show ./copy --json'],
  'backups verify': [
    'varve backups verify s3://backups/shop',
    'varve backups verify ./copy --blobs read --sample 0.01',
  ],
  'restore-store': [
    'varve restore-store s3://backups/shop ./data',
    'varve restore-store ./copy ./then --at "yesterday 18:00"',
  ],
  verify: ['varve verify', 'varve verify --blobs present --json', 'varve verify --repair'],
  rebuild: ['varve rebuild --dir ./data'],
  migrate: [
    'varve migrate --to segments+tiered --dir ./data',
    'varve migrate --dir ./data --to postgres://varve@db/varve+s3://blobs/shop',
  ],
  'keys create': ['varve keys create keyring.json'],
  'keys add': ['varve keys add keyring.json', 'varve keys add keyring.json reports'],
  'keys list': ['varve keys list --keyring keyring.json'],
  'keys rotate': ['varve keys rotate --keyring keyring.json'],
  'clock show': ['varve clock show'],
  'clock accept': ['varve clock accept'],
  'accept-loss': [
    'varve accept-loss --journal postgres://varve@db/varve --blobs s3://varve-blobs --dry-run',
    'varve accept-loss --journal postgres://varve@db/varve --blobs s3://varve-blobs --yes',
  ],
  'journal roles': [
    'varve journal roles --owner varve_owner --node varve_node --reader varve_reader',
    'varve journal roles --schema shop --owner shop_owner --node shop_node > roles.sql',
  ],
  'journal create': ['varve journal create --journal postgres://varve_owner@db/varve'],
  'journal upgrade': ['varve journal upgrade --journal postgres://varve_owner@db/varve'],
  'retention show': ['varve retention show'],
  'retention set': ['varve retention set 90d', 'varve retention set 7d s3://logs'],
  'retention remove': ['varve retention remove s3://logs'],
  'snapshot create': [
    'varve snapshot create before-import',
    'varve snapshot create yesterday-evening s3://photos --at "yesterday 18:00"',
  ],
  'snapshot ls': ['varve snapshot ls'],
  'snapshot rm': ['varve snapshot rm before-import'],
  'quota set': [
    'varve quota set s3://photos --bytes 50GiB --object-bytes 100MiB',
    'varve quota set s3://logs --uploads 100',
  ],
  'quota show': ['varve quota show s3://photos'],
  'quota remove': ['varve quota remove s3://photos'],
  'identities add': ['varve identities add ann', 'varve identities add deployer --policy policy.json'],
  'identities list': ['varve identities list'],
  'identities show': ['varve identities show ann'],
  'identities policy': ['varve identities policy ann --policy policy.json', 'varve identities policy ann --none'],
  'identities quota': ['varve identities quota ann --bytes 50GiB --buckets 10', 'varve identities quota ann --none'],
  'identities rotate': ['varve identities rotate ann'],
  'identities revoke': ['varve identities revoke ann AKIA0123456789ABCDEF', 'varve identities revoke ann --all'],
  'identities remove': ['varve identities remove ann'],
  'identities import': ['varve identities import identities.json'],
  'task ls': ['varve task ls'],
  'task stop': ['varve task stop 0a1b2c3d'],
  usage: ['varve usage', 'varve usage s3://photos --json'],
  demo: ['varve demo ./demo-store'],
  completion: [
    'eval "$(varve completion bash)"',
    'varve completion zsh > ~/.zfunc/_varve',
    'varve completion fish > ~/.config/fish/completions/varve.fish',
  ],
  bench: ['varve bench --smoke'],
}

export const examplesText = ([...all]: Examples): string =>
  `\n${all.length === 1 ? 'Example' : 'Examples'}:\n${all.map((one) => `  ${one}`).join('\n')}`
