/* Databases of a context: the user's, and the one installed with Heddle. Each is opened at its
 * first use; a failure is logged, another attempt that fails for the same reason is not, and the
 * context continues without the database. */
#include <string.h>
#include <unistd.h>

#include "database/database_file.h"

typedef struct databases {
    hed_allocator allocator;
    pthread_mutex_t lock;
    hed_database *user, *installed;
    bool user_tried, installed_tried;
    bool has_waited;   /* a tuning has tried to open the user's database in vain */
    hed_error failure; /* the last one that was logged */
} databases;

static void database_destroy(void *object)
{
    databases *d = object;
    hed_database_close(d->user);
    hed_database_close(d->installed);
    pthread_mutex_destroy(&d->lock);
    hed_allocator allocator = d->allocator;
    hed_release(&allocator, d, sizeof *d);
}

/* Databases of a context, created on first use; NULL if memory is short. */
static databases *databases_of(hed_context *context)
{
    pthread_mutex_lock(&context->extension_lock);
    databases *d = context->extension.object;
    if (!d && (d = hed_allocate(&context->settings.allocator, sizeof *d))) {
        d->allocator = context->settings.allocator;
        pthread_mutex_init(&d->lock, NULL);
        context->extension = (hed_extension){d, database_destroy};
    }
    pthread_mutex_unlock(&context->extension_lock);
    return d;
}

static hed_database *open_one(hed_context *context, databases *d, const char *path, bool read_only,
    int patience, const char *without)
{
    hed_database *database;
    hed_error error = {0};
    if (hed_database_open_for(context, path, read_only, patience, &database, &error) &&
        strcmp(error.text, d->failure.text) != 0) {
        hed_log_message(&context->settings.logger, HED_LOG_WARNING, "%s: %s", without, error.text);
        d->failure = error;
    }
    return database;
}

static hed_database *user_database(hed_context *context, bool make)
{
    databases *d = databases_of(context);
    const char *path = context->settings.database;
    if (!d) return NULL;
    pthread_mutex_lock(&d->lock);
    /* launches try to open it once; a tuning tries again, since another process may have held the
     * lock */
    if (!d->user && path[0] && (make || (!d->user_tried && access(path, F_OK) == 0))) {
        int patience = make && !d->has_waited ? HED_WRITE_PATIENCE : HED_READ_PATIENCE;
        d->user_tried = true;
        d->user = open_one(
            context, d, path, false, patience, "tuned configurations are neither used nor kept");
        d->has_waited = d->has_waited || (make && !d->user);
    }
    hed_database *database = d->user;
    pthread_mutex_unlock(&d->lock);
    return database;
}

hed_database *hed_context_database(hed_context *context)
{
    if (!context) return NULL;
    return user_database(context, true);
}
hed_database *hed_context_database_found(hed_context *context)
{
    return user_database(context, false);
}

hed_database *hed_context_installed(hed_context *context)
{
    databases *d = databases_of(context);
    const char *path = context->settings.installed_database;
    if (!d) return NULL;
    pthread_mutex_lock(&d->lock);
    if (!d->installed_tried && path[0]) {
        d->installed_tried = true;
        d->installed = open_one(context, d, path, true, HED_READ_PATIENCE,
            "the configurations that come with Heddle are not used");
    }
    hed_database *database = d->installed;
    pthread_mutex_unlock(&d->lock);
    return database;
}
