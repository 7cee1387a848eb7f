# npm: install, record, replay; then `npm ci` from the lock file that the install wrote.
. "$(dirname "$0")/lib.sh"
echo '{ "name": "newcomer", "private": true }' >package.json
npm install --no-audit --no-fund -D "$REPRISE_TARBALL" >install.txt 2>&1 || fail "$(cat install.txt)"
[ -f node_modules/reprise/dist/cli/cli.cjs ] || fail 'the package has no dist'
[ ! -e node_modules/reprise/docs/decisions ] || fail 'the package has the decision records'
node -e '
  const { scripts } = require("./node_modules/reprise/package.json")
  for (const name of ["prepare", "preinstall", "install", "postinstall"]) if (name in scripts) throw new Error(`the package has a script ${name}`)
'
records_and_replays npx
rm -rf node_modules
npm ci --no-audit --no-fund >ci.txt 2>&1 || fail "$(cat ci.txt)"
records_and_replays npx
echo ok
