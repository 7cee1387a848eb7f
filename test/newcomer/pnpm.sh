# pnpm: install, record, replay; then a frozen install from its lock file.
. "$(dirname "$0")/lib.sh"
pnpm() { node "$modules/pnpm/bin/pnpm.cjs" "$@"; }
echo '{ "name": "newcomer", "private": true }' >package.json
pnpm add -D "$REPRISE_TARBALL" >install.txt 2>&1 || fail "$(cat install.txt)"
records_and_replays pnpm exec
rm -rf node_modules
pnpm install --frozen-lockfile >ci.txt 2>&1 || fail "$(cat ci.txt)"
records_and_replays pnpm exec
echo ok
