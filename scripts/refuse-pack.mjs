/** A workspace holds the build for development, which is not what is published. */
console.error('Run `npm run pack -- DIR` in the root: it bundles the packages and makes their tarballs. Publish those.')
process.exit(1)
