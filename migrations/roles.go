package migrations

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5"
)

// The roles of an embedded server. The superuser makes the two others and has no other work: the owner migrates and builds read
// models, the serving role reads and appends.
const (
	OwnerRole   = "shop_owner"
	ServingRole = "shop_serve"
)

// rolesLock is the advisory lock of whoever makes roles or grants rights.
const rolesLock = int64(0x73686f705f726f6c)

// inherit makes the two roles and gives the owner what others own of the database: tables, routines, and the database itself. What
// belongs to extensions stays.
const inherit = `DO $$
DECLARE
    one text;
BEGIN
    FOREACH one IN ARRAY ARRAY['` + OwnerRole + `', '` + ServingRole + `'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = one) THEN
            EXECUTE format('CREATE ROLE %I LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS', one);
            EXECUTE format('GRANT pg_read_all_stats, pg_signal_backend TO %I', one);
        END IF;
    END LOOP;
    FOR one IN
        WITH ours AS (SELECT n.oid, n.nspname, n.nspowner FROM pg_namespace n WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'),
        theirs AS (SELECT r.oid FROM pg_roles r WHERE r.rolname = '` + OwnerRole + `'),
        extended AS (SELECT d.classid, d.objid FROM pg_depend d WHERE d.deptype = 'e')
        SELECT format('ALTER DATABASE %I OWNER TO ` + OwnerRole + `', d.datname) FROM pg_database d
            WHERE d.datname = current_database() AND d.datdba NOT IN (SELECT oid FROM theirs)
        UNION ALL SELECT format('ALTER SCHEMA %I OWNER TO ` + OwnerRole + `', n.nspname) FROM ours n
            WHERE n.nspname <> 'public' AND n.nspowner NOT IN (SELECT oid FROM theirs)
        UNION ALL SELECT format('ALTER TABLE %I.%I OWNER TO ` + OwnerRole + `', n.nspname, c.relname) FROM pg_class c JOIN ours n ON n.oid = c.relnamespace
            WHERE c.relkind IN ('r', 'p', 'v', 'm', 'S') AND c.relowner NOT IN (SELECT oid FROM theirs)
              AND ('pg_class'::regclass, c.oid) NOT IN (SELECT classid, objid FROM extended)
              AND NOT EXISTS (SELECT FROM pg_depend d WHERE c.relkind = 'S' AND d.objid = c.oid AND d.deptype IN ('a', 'i'))
        UNION ALL SELECT format('ALTER ROUTINE %s OWNER TO ` + OwnerRole + `', p.oid::regprocedure) FROM pg_proc p JOIN ours n ON n.oid = p.pronamespace
            WHERE p.proowner NOT IN (SELECT oid FROM theirs) AND ('pg_proc'::regclass, p.oid) NOT IN (SELECT classid, objid FROM extended)
    LOOP
        EXECUTE one;
    END LOOP;
END $$`

// SplitRoles makes the two roles on a server of the program's own, whose superuser the address names, and answers their addresses. What a
// program of before made becomes the owner's.
func SplitRoles(ctx context.Context, superuserURL string) (owner, serving string, err error) {
	conn, err := connect(ctx, superuserURL)
	if err != nil {
		return "", "", err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if err := locked(ctx, conn, inherit); err != nil {
		return "", "", fmt.Errorf("make the database's roles: %w", err)
	}
	if owner, err = as(superuserURL, OwnerRole); err == nil {
		serving, err = as(superuserURL, ServingRole)
	}
	return owner, serving, err
}

// as is the address with another role.
func as(databaseURL, role string) (string, error) {
	u, err := url.Parse(databaseURL)
	if err != nil {
		return "", err
	}
	q := u.Query()
	q.Set("user", role)
	u.RawQuery = strings.ReplaceAll(q.Encode(), "+", "%20")
	return u.String(), nil
}

// locked runs statements in a transaction, one process at a time: rights are rows that two cannot change at once.
func locked(ctx context.Context, conn *pgx.Conn, statements ...string) error {
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", rolesLock); err != nil {
			return err
		}
		for _, sql := range statements {
			if _, err := tx.Exec(ctx, sql); err != nil {
				return err
			}
		}
		return nil
	})
}

// grants are the rights of a serving role. What the owner makes later has them by default.
func grants(database, role string) []string {
	role = pgx.Identifier{role}.Sanitize()
	return []string{
		"GRANT CONNECT, TEMPORARY ON DATABASE " + pgx.Identifier{database}.Sanitize() + " TO " + role,
		"ALTER DEFAULT PRIVILEGES GRANT USAGE ON SCHEMAS TO " + role,
		"ALTER DEFAULT PRIVILEGES GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO " + role,
		"ALTER DEFAULT PRIVILEGES GRANT ALL ON SEQUENCES TO " + role,
		"ALTER DEFAULT PRIVILEGES GRANT EXECUTE ON ROUTINES TO " + role,
		`DO $$
DECLARE
    one text;
BEGIN
    FOR one IN SELECT n.nspname FROM pg_namespace n WHERE n.nspname = 'public' OR pg_get_userbyid(n.nspowner) = current_user LOOP
        EXECUTE format('GRANT USAGE ON SCHEMA %I TO ` + quoteForFormat(role) + `', one);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA %I TO ` + quoteForFormat(role) + `', one);
        EXECUTE format('GRANT ALL ON ALL SEQUENCES IN SCHEMA %I TO ` + quoteForFormat(role) + `', one);
    END LOOP;
END $$`,
		// What happened stays as it was written; who is erased stays in the table, without a key; positions are given out once.
		"REVOKE UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER ON eventstore.events FROM " + role,
		"REVOKE UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER ON security.records FROM " + role,
		"REVOKE DELETE, TRUNCATE ON eventstore.person_keys FROM " + role,
		"REVOKE UPDATE ON SEQUENCE eventstore.position FROM " + role,
		"REVOKE INSERT, UPDATE, DELETE ON " + versionTable + " FROM " + role,
	}
}

// quoteForFormat is a quoted name inside a text that format reads.
func quoteForFormat(name string) string {
	return strings.NewReplacer("'", "''", "%", "%%").Replace(name)
}

// lacking is whether a role lacks a right of a serving role, or has one more.
const lacking = `SELECT coalesce(bool_or(NOT has_table_privilege($1, c.oid, 'SELECT') OR NOT has_schema_privilege($1, n.oid, 'USAGE')), true)
	OR has_table_privilege($1, 'eventstore.events', 'UPDATE, DELETE, TRUNCATE') OR NOT has_table_privilege($1, 'eventstore.events', 'INSERT')
	OR has_table_privilege($1, 'security.records', 'UPDATE, DELETE, TRUNCATE') OR NOT has_table_privilege($1, 'security.records', 'INSERT')
	OR has_table_privilege($1, 'eventstore.person_keys', 'DELETE, TRUNCATE') OR has_sequence_privilege($1, 'eventstore.position', 'UPDATE')
	OR NOT EXISTS (SELECT FROM pg_default_acl a WHERE pg_get_userbyid(a.defaclrole) = current_user AND a.defaclobjtype = 'n' AND a.defaclacl::text LIKE '%' || $1 || '=U/%')
	FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
	WHERE c.relkind = 'r' AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' AND pg_get_userbyid(c.relowner) = current_user`

// Grant gives a role the rights of serving and no other: it reads, appends and folds, and can neither change nor delete an event. The
// address is of the owner of the tables. missing are statements that only a superuser can run, without which operators see less.
func Grant(ctx context.Context, ownerURL, role string) (missing []string, err error) {
	conn, err := connect(ctx, ownerURL)
	if err != nil {
		return nil, err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	var exists, owns, super bool
	const facts = `SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1),
		EXISTS (SELECT FROM pg_roles r WHERE r.rolname = $1 AND (r.rolsuper OR pg_has_role(r.oid, current_user, 'MEMBER'))),
		EXISTS (SELECT FROM pg_roles r WHERE r.rolname = $1 AND r.rolsuper)`
	if err := conn.QueryRow(ctx, facts, role).Scan(&exists, &owns, &super); err != nil {
		return nil, fmt.Errorf("look for the role %s: %w", role, err)
	}
	switch {
	case !exists:
		return nil, fmt.Errorf("there is no role %q: CREATE ROLE %s LOGIN NOSUPERUSER PASSWORD '…'", role, pgx.Identifier{role}.Sanitize())
	case super:
		return nil, fmt.Errorf("the role %q is a superuser, whom no right restrains: ALTER ROLE %s NOSUPERUSER", role, pgx.Identifier{role}.Sanitize())
	case owns:
		return nil, fmt.Errorf("the role %q is the owner of the tables, or a member of it: serve with another role", role)
	}
	var lacks bool
	if err := conn.QueryRow(ctx, lacking, role).Scan(&lacks); err != nil {
		return nil, fmt.Errorf("look at the rights of %s: %w", role, err)
	}
	if lacks {
		if err := locked(ctx, conn, grants(conn.Config().Database, role)...); err != nil {
			return nil, fmt.Errorf("grant the rights of serving to %s: %w", role, err)
		}
	}
	for _, more := range []string{"pg_read_all_stats", "pg_signal_backend"} {
		var has bool
		if err := conn.QueryRow(ctx, "SELECT pg_has_role($1, $2, 'MEMBER')", role, more).Scan(&has); err != nil {
			return nil, fmt.Errorf("look at the rights of %s: %w", role, err)
		}
		if !has {
			missing = append(missing, "GRANT "+more+" TO "+pgx.Identifier{role}.Sanitize())
		}
	}
	return missing, nil
}

// Rights are what the role of an address may do that serving does not need.
type Rights struct {
	Role string
	// Superuser: it may do anything. ChangesEvents: it may change or delete events. Owns: it may migrate and build read models.
	Superuser, ChangesEvents, Owns bool
}

// RightsOf reads the rights of the role of an address on a migrated database.
func RightsOf(ctx context.Context, databaseURL string) (r Rights, err error) {
	conn, err := connect(ctx, databaseURL)
	if err != nil {
		return r, err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	err = conn.QueryRow(ctx, `SELECT current_user::text, (SELECT rolsuper FROM pg_roles WHERE rolname = current_user),
		has_table_privilege(to_regclass('eventstore.events'), 'UPDATE, DELETE, TRUNCATE'),
		pg_has_role(c.relowner, 'MEMBER') AND has_database_privilege(current_database(), 'CREATE')
		FROM pg_class c WHERE c.oid = to_regclass('eventstore.events')`).Scan(&r.Role, &r.Superuser, &r.ChangesEvents, &r.Owns)
	if err != nil {
		return r, fmt.Errorf("read the rights of the database role: %w", err)
	}
	return r, nil
}
